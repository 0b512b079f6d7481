"""Pairs of memories: which are compared, and which of two gives way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gaia.digest.upkeep import pairs
from gaia.digest.upkeep.pairs import Pair, gives_way
from gaia.digest.verify import Effect
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said

DIGEST = MemorySource.DIGEST
LATER = START + timedelta(days=30)


@pytest.fixture
async def pair(book: Book, ada: User) -> Pair:
    """Two memories that were learned, one after the other."""
    lisbon = await book.keep(ada, said("I live in Lisbon", DIGEST, said_at=START))
    porto = await book.keep(ada, said("I live in Porto now", DIGEST, said_at=LATER))
    return Pair(lisbon.memory, porto.memory)


def test_what_is_replaced_or_said_again_gives_way_and_nothing_else(pair: Pair) -> None:
    for effect in (Effect.REPLACES, Effect.SAME):
        assert gives_way(pair, effect) == (pair.earlier, pair.later)
    for effect in (Effect.ADDS, Effect.FOR_A_WHILE, Effect.UNRELATED, None):
        assert gives_way(pair, effect) is None


@pytest.mark.parametrize("own", [{"source": MemorySource.USER}, {"pinned": True}, {"support": 2}])
def test_what_its_user_wrote_confirmed_or_pinned_never_gives_way(
    pair: Pair, own: dict[str, object]
) -> None:
    mine = replace(pair, earlier=replace(pair.earlier, **own))
    assert gives_way(mine, Effect.REPLACES) is None
    assert gives_way(mine, Effect.SAME) == (mine.later, mine.earlier)
    both = replace(mine, later=replace(mine.later, **own))
    assert gives_way(both, Effect.SAME) is None


def test_nothing_gives_way_to_what_holds_for_a_while_or_was_not_said_later(pair: Pair) -> None:
    trip = replace(pair, later=replace(pair.later, expires_at=LATER))
    together = replace(pair, later=replace(pair.later, valid_from=START))
    other = replace(pair, later=replace(pair.later, text="My boat is blue"))
    for each in (trip, together, other):
        assert gives_way(each, Effect.REPLACES) is None


def test_an_answer_is_read_in_whatever_shape_and_not_where_it_contradicts_itself(
    pair: Pair,
) -> None:
    read = pairs.effects_of
    told = (
        '```json\n{"changes": [{"pair": "1", "change": "Replaces"}, {"pair": 2, "change": "same"}]}'
    )
    assert read(told, [pair]) == {(1, 2): Effect.REPLACES}
    twice = '[{"pair": 1, "change": "same"}, {"pair": 1, "change": "adds"}]'
    assert read(twice, [pair]) == {}
    for nothing in ("", "I cannot", '{"changes": [{"pair": 1, "change": "delete all"}]}'):
        assert read(nothing, [pair]) == {}


async def test_only_what_is_alike_in_kind_and_context_and_not_sensitive_is_compared(
    book: Book, ada: User, bob: User
) -> None:
    await book.keep(bob, said("I like tea", DIGEST))
    for fields in (
        {"context": "work"},
        {"kind": MemoryKind.PREFERENCE},
        {"sensitive": True, "text": "I like green tea"},
        {"text": "I like black tea"},
    ):
        words = fields.pop("text", "I like tea")
        await book.keep(ada, said(words, DIGEST, **fields))
    tea = (await book.keep(ada, said("I like tea a lot", DIGEST))).memory
    found = await book.database.read(pairs.pairs_with, ada.user_id, tea, range(1, 9))
    assert [each.numbers for each in found] == [(5, 6)]
    await book.database.write(pairs.note_compared, ada.user_id, found)
    assert await book.database.read(pairs.pairs_with, ada.user_id, tea, range(1, 9)) == []


def test_words_are_the_same_whatever_stands_between_them(pair: Pair) -> None:
    def same(one: str, other: str) -> bool:
        texts = replace(pair.earlier, text=one), replace(pair.later, text=other)
        return Pair(*texts).has_same_words

    assert same("I like tea.", "I like TEA!")
    assert not same("I like tea", "I do not like tea")
    assert not same("Ann likes Bob", "Bob likes Ann")
