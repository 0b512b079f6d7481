"""Forget means forget: neither what was learned of it stays, nor what it was learned from."""

from __future__ import annotations

import re

import pytest

from tests.harness.household import Household
from tests.harness.learning_model import LearningModel, Lesson
from tests.harness.traces import files_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = Lesson("My note lies under the cobaltine pot", "ada's note lies under the cobaltine pot")
KEY = Lesson("My key hangs in the viridine shed", "ada's key hangs in the viridine shed")
BOBS = Lesson("I keep a quillfeather", "bob keeps a quillfeather")

OF_BOB = """
SELECT memory_id, text, quote FROM memories JOIN users USING (user_id) WHERE name = 'bob'
UNION ALL SELECT archive_id, asked, words FROM archived_turns JOIN users USING (user_id)
WHERE name = 'bob'
UNION ALL SELECT 0, CAST(bullets AS TEXT), input_hash FROM profiles
JOIN users USING (user_id) WHERE name = 'bob' ORDER BY 1, 2
"""


async def test_what_was_learned_archived_and_profiled_is_in_no_file_once_it_is_forgotten(
    household: Household, reader: LearningModel
) -> None:
    reader.lessons = (POT, KEY, BOBS)
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        said = {"ada": POT.said, "bob": BOBS.said}
        for name, words in said.items():
            await household.on_telegram(name, words)
            await household.on_telegram(name, "/reset")
        for name in said:
            await household.until_told(name, "and keep:")
        await ada.ask(KEY.said)
        await ada.ask("/reset")
        await household.until(
            lambda: len(household.rows("SELECT 1 FROM digests WHERE state = 'cleared'")) == 3
        )
        await household.until(lambda: len(household.rows("SELECT 1 FROM profiles")) == 2)
        await ada.ask("Where is my note?")
        assert "cobaltine" in household.model.requests[-1].system
        bobs = household.rows(OF_BOB)
        assert len(bobs) > 3

        question = await household.on_telegram("ada", "/forget cobaltine")
        (confirmation,) = set(re.findall(r"/forget yes \d+", question))
        assert "Forgotten" in await household.on_telegram("ada", confirmation)
        await household.until_forgotten()
        await ada.ask("Where is my key?")
        last = household.model.requests[-1]
        assert KEY.said in last.system
        assert "cobaltine" not in str(last.body)
        assert household.rows(OF_BOB) == bobs
    assert files_with(household.home.root, "cobaltine") == []
    assert "gaia.db" in files_with(household.home.root, "viridine")
    assert household.rows(OF_BOB) == bobs
