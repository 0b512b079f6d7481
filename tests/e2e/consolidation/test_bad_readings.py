"""A model that reads badly teaches nothing and loses nothing: it is asked once more."""

from __future__ import annotations

import pytest

from tests.harness.household import Household
from tests.harness.learning_model import LearningModel, Lesson

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOAT = Lesson("My boat is called Windhover", "ada's boat is called Windhover")
UNSAID = Lesson("My boat is", "ada's boat is called Kestrel")


async def test_what_could_not_be_read_is_read_once_the_model_is_well(
    household: Household, reader: LearningModel, run_gaia
) -> None:
    reader.lessons = (BOAT, UNSAID)
    reader.says = "I read of a boat."
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask("My boat is called Windhover")
        failed = await run_gaia(household.home, "sessions", "digest", "--user", "ada")
        assert failed.code == 1
        assert "ada: is tried again in a few minutes: " in failed.stdout
        assert household.rows("SELECT 1 FROM memories") == []
        assert household.rows("SELECT words FROM archived_turns") == [(BOAT.said,)]
        assert "Learning: 1 conversation to be read." in await ada.ask("/status")
        status = await run_gaia(household.home, "status")
        assert "learning   1 conversation to be read" in status.stdout

        reader.says = None
        again = await run_gaia(household.home, "sessions", "digest", "--user", "ada")
        assert (again.code, again.stdout) == (0, "ada: 1 memory learned, 0 changed\n")
        facts = household.rows("SELECT text, status FROM memories WHERE kind = 'fact'")
        assert facts == [(BOAT.said, "active")]
        assert "Learning:" not in await ada.ask("/status")
