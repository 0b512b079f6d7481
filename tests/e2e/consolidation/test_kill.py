"""SIGKILL while a conversation is being read: it is learned from once, nothing is lost."""

from __future__ import annotations

import pytest

from tests.harness.household import PEOPLE, Household
from tests.harness.learning_model import LearningModel, Lesson

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOAT = Lesson("My boat is called Windhover", "ada's boat is called Windhover")
KNIFE = Lesson("I lost my red knife", "ada lost a red knife")


async def test_what_was_being_read_when_gaia_was_killed_is_learned_once(
    household: Household, reader: LearningModel
) -> None:
    reader.lessons = (BOAT, KNIFE)
    await household.furnish()
    telegram = household.telegram
    ada = telegram.person(PEOPLE["ada"])
    await household.daemons.start(household.home)
    await household.on_telegram("ada", "My boat is called Windhover")
    reader.hold()
    await household.on_telegram("ada", "/reset")
    await household.until(lambda: reader.reading == 1)
    household.daemons.kill()
    await household.daemons.ended()
    ada.writes("I lost my red knife")
    telegram.redeliver()
    reader.release()

    async with household.awake():
        await household.until_told("ada", f"“{BOAT.said}”")
        await household.until_told("ada", "echo: I lost my red knife")
        await household.on_telegram("ada", "/reset")
        await household.until_told("ada", f"“{KNIFE.said}”")
        await household.until(
            lambda: household.rows("SELECT state FROM digests") == [("cleared",), ("cleared",)]
        )
    told = telegram.texts(ada)
    assert told.count("echo: My boat is called Windhover") == 1
    assert told.count("echo: I lost my red knife") == 1
    assert [sum(f"“{each.said}”" in text for text in told) for each in (BOAT, KNIFE)] == [1, 1]
    learned = household.rows("SELECT text FROM memories WHERE kind = 'fact' ORDER BY memory_id")
    assert learned == [(BOAT.said,), (KNIFE.said,)]
    episodes = household.rows("SELECT text FROM memories WHERE kind = 'episode'")
    assert len(episodes) == 2
