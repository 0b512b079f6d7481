"""Which memories hold given words: all of them, in any form, and nobody else's."""

from __future__ import annotations

import pytest

from gaia.errors import MissingOwnerError
from gaia.memory import ledger, matching
from gaia.memory.memory import Statement
from gaia.store.engine import Database
from gaia.store.identities import User
from gaia.store.memory_tables import MemorySource
from gaia.testing.clock import START

KEPT = ("the gate code is under the blue pot", "the gates are green", "我对花生过敏", "pot 🎂")


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("gate code", [1]),
        ("CODE of the gate!", [1]),
        ("gate", [2, 1]),
        ("gate unicorn", []),
        ("过敏", [3]),
        ("🎂", [4]),
        ('what AND "gate', [2, 1]),
        ("", []),
        ("!!!", []),
        ("gate " * 1000, [2, 1]),
        (" ".join(map(str, range(5000))), []),
    ],
)
async def test_what_holds_every_word_is_found_the_newest_first(
    database: Database, ada: User, bob: User, words: str, numbers: list[int]
) -> None:
    async with database.write() as session:
        for text in KEPT:
            await ledger.add(session, ada.user_id, Statement(text, MemorySource.USER), START)
        await ledger.add(session, bob.user_id, Statement(KEPT[0], MemorySource.USER), START)
    async with database.read() as session:
        assert list(await matching.holding(session, ada.user_id, words)) == numbers


async def test_without_an_owner_nothing_is_looked_for(database: Database) -> None:
    async with database.read() as session:
        with pytest.raises(MissingOwnerError):
            await matching.holding(session, " ", "gate")
