"""Memory across channels: what is said on one is known on the other, and to nobody else."""

from __future__ import annotations

import pytest

from gaia.testing.household import Household
from gaia.testing.traces import files_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = "The gate code note lies under the cobaltine pot"
"""A memory of Ada's. Its last word but one stands nowhere else in the world."""


async def test_what_is_told_on_one_channel_is_known_on_the_other(household: Household) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        assert "#1" in await ada.ask(f"/remember {POT}")
        assert household.model.requests == ()
        answer = await household.on_telegram("ada", "Where is the gate code note?")
        assert answer == "echo: Where is the gate code note?"
        (request,) = household.asked_with(POT)
        assert "<context>" in str(request.body["messages"])
        await household.on_telegram("bob", "Where is the gate code note?")
        assert household.asked_with(POT) == [request]
    assert files_with(household.home.root, "cobaltine") == ["gaia.db"]
