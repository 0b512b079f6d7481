"""What was said in a conversation that is gone is found by its words and its time."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from gaia.clock import SystemClock
from tests.harness.household import Household

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_model_finds_what_was_said_about_the_boat_in_a_month(
    household: Household,
) -> None:
    await household.furnish()
    now = SystemClock().now().astimezone()
    month, earlier = f"{now:%B}", f"{now - timedelta(days=62):%B}"
    async with household.awake(), household.at_terminal("ada") as ada:
        await household.on_telegram("ada", "The boat needs a new windhover sail")
        await household.on_telegram("bob", "My boat sank with its quillfeathers")
        await household.on_telegram("ada", "/reset")
        await household.until_told("ada", "I read through our last conversation")
        await household.until(lambda: household.rows("SELECT state FROM digests") == [("cleared",)])

        found = await ada.ask(f"use search_conversations {searching('boat', month)}")
        assert "windhover sail" in found
        assert "quillfeathers" not in found
        assert f" {now:%B %Y}" in found
        nothing = await ada.ask(f"use search_conversations {searching('boat', earlier)}")
        assert "windhover" not in nothing
        assert "nothing was said of that" in nothing


def searching(words: str, month: str) -> str:
    return json.dumps({"words": words, "since": month, "until": month})
