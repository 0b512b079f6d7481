"""Forgetting, with a real daemon on two channels: no byte is left, and no prompt has it."""

from __future__ import annotations

import json

import pytest

from tests.harness.household import Household
from tests.harness.traces import files_with
from tests.servers.model_server import ScriptedCall, Step

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = "The gate code note lies under the cobaltine pot"
WHERE = "Where under the cobaltine pot is the gate code note?"
CAT = "The cat is called Tom and eats viridine"
TRACES = ("cobaltine", "gate code")


async def test_what_is_forgotten_is_in_no_file_and_in_no_prompt(household: Household) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask(f"/remember {POT}")
        await ada.ask(f"/remember {CAT}")
        await household.on_telegram("ada", f"Did you know? {POT}")
        await ada.ask(WHERE)
        await household.on_telegram("bob", "The canal is violet in spring")
        assert files_with(household.home.root, *TRACES) != []
        question = await household.on_telegram("ada", "/forget gate code")
        command = question[question.index("/forget yes") :].replace(",", "").split()[:3]
        assert "Forgotten: 1 memory" in await household.on_telegram("ada", " ".join(command))
        asked = len(household.model.requests)
        await household.on_telegram("ada", "And now?")
        await ada.ask("What did I ask?")
        await household.until_forgotten()
        assert files_with(household.home.root, *TRACES) == []
        later = [json.dumps(each.body) for each in household.model.requests[asked:]]
        assert len(later) == 2
        assert not any(trace in body for body in later for trace in TRACES)
        assert "viridine" in await ada.ask("/memory")
    assert files_with(household.home.root, *TRACES) == []
    assert "gaia.db" in files_with(household.home.root, "violet")


async def test_a_tool_forgets_and_the_turn_in_which_it_does_is_clean_too(
    household: Household,
) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        household.model.script(Step(call=ScriptedCall(name="remember", args={"fact": POT})))
        await ada.ask(f"Keep in mind: {POT}")
        household.model.script(Step(call=ScriptedCall(name="forget_memory", args={"memory_id": 1})))
        asked = await ada.ask("Forget about the gate code under the cobaltine pot")
        assert "Should I forget it?" in asked
        assert "Forgotten: 1 memory" in await ada.ask("yes")
        await household.until_forgotten()
        assert files_with(household.home.root, *TRACES) == []
        household.model.script(Step(call=ScriptedCall(name="remember", args={"fact": POT})))
        await ada.ask("Anything else that you know?")
        assert household.rows("SELECT 1 FROM memories") == []


async def test_everything_is_forgotten_by_the_daemon_that_starts_after_a_kill(
    household: Household,
) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask(f"/remember {POT}")
        await household.on_telegram("ada", f"Tell me of {WHERE}")
        question = await ada.ask("/forget")
        command = question[question.index("/forget yes") :].replace(",", "").split()[:3]
        await ada.ask(" ".join(command))
        household.daemons.kill()
        await household.daemons.ended()
        await household.daemons.start(household.home)
        await household.until_forgotten()
        assert files_with(household.home.root, *TRACES) == []
        await household.on_telegram("ada", "Hello again")
        assert "Hello again" in json.dumps(household.model.requests[-1].body)
        assert not household.asked_with("cobaltine")[1:]
