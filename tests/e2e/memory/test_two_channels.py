"""Memory across channels: what is said on one is known on the other, and to nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.harness.household import Household
from tests.harness.traces import files_with
from tests.servers.model_server import ScriptedCall, Step

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXAMPLES = Path(__file__).parents[3] / "config" / "examples"

POT = "The gate code note lies under the cobaltine pot"
"""A memory of Ada's, with a word in it that stands nowhere else in the world."""

WHERE = "Where is the gate code note?"


async def test_what_is_told_on_one_channel_is_known_on_the_other(household: Household) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        assert "#1" in await ada.ask(f"/remember {POT}")
        assert household.model.requests == ()
        assert await household.on_telegram("ada", WHERE) == f"echo: {WHERE}"
        (request,) = household.asked_with(POT)
        assert "<context>" in str(request.body["messages"])
        assert await household.on_telegram("bob", WHERE) == f"echo: {WHERE}"
        assert household.asked_with(POT) == [request]
        assert POT in await household.on_telegram("ada", "/memory")
        assert "nothing in your memory yet" in await household.on_telegram("bob", "/memory")
    assert files_with(household.home.root, "cobaltine") == ["gaia.db"]


async def test_what_the_model_keeps_is_explained_and_replaced(household: Household) -> None:
    await household.furnish()
    old, new = "Ada is allergic to cobaltine", "Ada may eat viridine again"
    async with household.awake(), household.at_terminal("ada") as ada:
        household.model.script(Step(call=ScriptedCall(name="remember", args={"fact": old})))
        kept = await household.on_telegram("ada", "By the way, I get a rash from that dye")
        assert "kept as #1" in kept
        why = await ada.ask("/memory why 1")
        assert f"“{old}”" in why
        assert "Your words then: “By the way, I get a rash from that dye”" in why

        found = await ada.ask('use load_memory {"query": "allergic"}')
        assert old in found
        replacement = {"memory_id": 1, "fact": new}
        household.model.script(Step(call=ScriptedCall(name="update_memory", args=replacement)))
        assert "in the place of #1" in await ada.ask("I am not allergic any more")
        told = await household.on_telegram("ada", "/memory")
        assert new in told
        assert old not in told
        assert f"“{old}”" in await ada.ask("/memory why 2")

        await ada.ask("/reset")
        await household.on_telegram("ada", "/reset")
        await household.until_told("ada", "found nothing new to keep")
    asked = len(household.model.requests)
    async with household.awake(), household.at_terminal("ada") as ada:
        assert await ada.ask("What may Ada eat?")
        assert await household.on_telegram("ada", "Ada may eat what?")
        assert [new in str(each.body) for each in household.model.requests[asked:]] == [True, True]
        assert not [each for each in household.model.requests[asked:] if old in str(each.body)]


async def test_gemini_answers_remembers_and_embeds(household: Household, running_daemon) -> None:
    example = yaml.safe_load((EXAMPLES / "gemini.yaml").read_text())
    await household.furnish(json.dumps(example["memory"]), protocol="gemini")
    environ = {"GOOGLE_GEMINI_BASE_URL": household.model.gemini_base_url}
    async with (
        running_daemon(household.home, environ=environ) as daemon,
        household.at_terminal("ada") as ada,
    ):
        household.model.script(Step(call=ScriptedCall(name="remember", args={"fact": POT})))
        assert "kept as #1" in await ada.ask("The note is where the blue dye is")
        await household.until(household.memory_works)
        assert await household.on_telegram("ada", WHERE) == f"echo: {WHERE}"
        request = household.model.requests[-1]
        assert (request.protocol, POT in str(request.body)) == ("gemini", True)
        assert {each.model for each in household.model.embedded} == {"gemini-embedding-2"}
        embedded = [text for each in household.model.embedded for text in each.texts]
        assert POT in embedded
        assert WHERE in embedded
        assert await daemon.terminate() == 0
