"""Which memories hold given words: all of them, in any form, and nobody else's."""

from __future__ import annotations

import pytest

from gaia.errors import MissingOwnerError
from gaia.memory import forget, ledger, pending
from gaia.memory.memory import Statement
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.people.identities import User
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
    with database.writing() as session:
        for text in KEPT:
            ledger.add(session, ada.user_id, Statement(text, MemorySource.USER), START)
        ledger.add(session, bob.user_id, Statement(KEPT[0], MemorySource.USER), START)
    assert list(await database.read(forget.with_words, ada.user_id, words)) == numbers


async def test_without_an_owner_nothing_is_looked_for(database: Database) -> None:
    with database.reading() as session, pytest.raises(MissingOwnerError):
        forget.with_words(session, " ", "gate")


async def test_what_does_not_count_is_found_unless_it_goes_with_what_does(
    database: Database, ada: User, bob: User
) -> None:
    with database.writing() as session:
        user_id = ada.user_id

        async def keep(text: str) -> int:
            said = Statement(text, MemorySource.TOOL)
            return ledger.add(session, user_id, said, START).memory.memory_id

        async def replace(number: int, text: str) -> int:
            said = Statement(text, MemorySource.TOOL)
            return ledger.supersede(session, user_id, number, said, START).memory.memory_id

        lisbon = await keep("I live in Lisbon")
        await replace(lisbon, "I live in Porto")
        ended = await keep("Lisbon is my town")
        ledger.retract(session, user_id, ended, START)
        unsure = Statement("Perhaps Lisbon again", MemorySource.DIGEST)
        perhaps = pending.add(session, user_id, unsure, START).memory.memory_id
        red = await keep("The Lisbon flat is red")
        blue = await replace(red, "The Lisbon flat is blue")
    with database.reading() as session:
        found = forget.with_words(session, ada.user_id, "lisbon")
        assert found == [blue, perhaps, ended, lisbon]
        assert forget.with_words(session, ada.user_id, "lisbon red") == [red]
        assert forget.with_words(session, bob.user_id, "lisbon") == []
