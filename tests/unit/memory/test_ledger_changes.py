"""The ledger: what replaces what, and what is left of what was removed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import func, select

from gaia.errors import UnknownMemoryError
from gaia.memory import ledger, pending
from gaia.memory.people import entities
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemoryRow,
    MemoryStatus,
    MemoryTermRow,
)
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said

LATER = START + timedelta(days=1)
POT = "The gate code is under the blue pot"


async def test_what_is_superseded_is_found_no_more_and_tells_by_what(book: Book, ada: User) -> None:
    old = await book.keep(ada, said("I live in Bonn", entities=("place:bonn",)))
    new = await book.replace(ada, old, "I live in Köln", LATER)
    newest = await book.replace(ada, new, "I live in Ulm")
    was = await book.stored(ada, old.memory.memory_id)
    assert was.status is MemoryStatus.SUPERSEDED
    assert was.superseded_by == new.memory.memory_id
    assert was.valid_to == LATER
    assert await book.texts(ada) == ["I live in Ulm"]
    assert await book.made_of(MemoryTermRow) == {newest.memory.memory_id}
    with book.database.reading() as session:
        assert entities.about(session, ada.user_id, "place:bonn") == []
        versions = ledger.earlier_versions(session, ada.user_id, [newest.memory.memory_id])
    assert [each.text for each in versions] == ["I live in Köln", "I live in Bonn"]
    assert [(each.memory_id, each.operation) for each in await book.operations()] == [
        (1, IndexOperation.PUT),
        (2, IndexOperation.PUT),
        (1, IndexOperation.REMOVE),
        (3, IndexOperation.PUT),
        (2, IndexOperation.REMOVE),
    ]


async def test_what_takes_the_place_of_a_sensitive_one_is_sensitive(book: Book, ada: User) -> None:
    old = await book.keep(ada, said("I live in Bonn", sensitive=True))
    assert (await book.replace(ada, old, "I live in Ulm")).memory.sensitive
    plain = await book.keep(ada, "I drink tea")
    assert not (await book.replace(ada, plain, "I drink coffee")).memory.sensitive


async def test_two_memories_may_have_the_same_successor(book: Book, ada: User) -> None:
    bonn = await book.keep(ada, "I live in Bonn")
    rhine = await book.keep(ada, "I live on the Rhine")
    ulm = await book.replace(ada, bonn, "I live in Ulm")
    same = await book.replace(ada, rhine, "i live in ulm")
    assert same.memory.memory_id == ulm.memory.memory_id
    gone = await book.remove(ada, ulm.memory.memory_id)
    assert {each.text for each in gone} == {
        "I live in Ulm",
        "I live on the Rhine",
        "I live in Bonn",
    }


async def test_what_was_superseded_may_be_said_again(book: Book, ada: User) -> None:
    old = await book.keep(ada, "I love fennel")
    await book.replace(ada, old, "I hate fennel")
    assert (await book.keep(ada, "I love fennel")).is_new


async def test_another_spelling_takes_the_place_of_the_first(book: Book, ada: User) -> None:
    old = await book.keep(ada, "my sister is called sarah")
    new = await book.replace(ada, old, "My sister is called Sarah")
    assert (new.memory.memory_id, new.is_new) == (old.memory.memory_id, False)
    assert await book.texts(ada) == ["My sister is called Sarah"]
    assert [each.operation for each in await book.operations()] == [IndexOperation.PUT] * 2


async def test_only_what_counts_can_be_superseded_or_hidden(book: Book, ada: User) -> None:
    old = await book.keep(ada, "I live in Bonn")
    await book.replace(ada, old, "I live in Ulm")
    for number in (old.memory.memory_id, 99, 0, -1, 10**30):
        with book.database.writing() as session:
            with pytest.raises(UnknownMemoryError, match=f"no memory {number} that counts"):
                ledger.supersede(session, ada.user_id, number, said("x y"), LATER)
            with pytest.raises(UnknownMemoryError):
                ledger.set_sensitive(session, ada.user_id, number, sensitive=True, now=LATER)


async def test_a_memory_is_hidden_and_shown_again(book: Book, ada: User) -> None:
    added = await book.keep(ada, POT)
    number = added.memory.memory_id
    for sensitive in (True, False):
        await book.database.write(
            ledger.set_sensitive, ada.user_id, number, sensitive=sensitive, now=LATER
        )
        assert (await book.stored(ada, number)).sensitive is sensitive


async def test_a_pinned_memory_never_expires_and_hands_it_on(book: Book, ada: User) -> None:
    added = await book.keep(ada, said(POT, expires_at=LATER))
    number = added.memory.memory_id
    pin = partial(ledger.set_pinned, pinned=True, now=START)
    assert (await book.database.write(pin, ada.user_id, number)).pinned
    assert (await book.keep(ada, said(POT, expires_at=LATER))).memory.expires_at is None
    assert await book.database.write(pending.expire, LATER) == 0
    newer = await book.replace(ada, added, "The gate code is 7")
    assert (await book.stored(ada, newer.memory.memory_id)).pinned
    with book.database.writing() as session, pytest.raises(UnknownMemoryError):
        ledger.set_pinned(session, ada.user_id, number, pinned=True, now=LATER)


async def test_120_memories_are_shown_in_pages_and_removed(book: Book, ada: User) -> None:
    with book.database.writing() as session:
        for number in range(120):
            ledger.add(session, ada.user_id, said(f"thing number {number}"), START)
    seen: list[str] = []
    with book.database.reading() as session:
        for number in range(1, 7):
            page = ledger.page(session, ada.user_id, number=number)
            assert (page.number, page.pages, page.total) == (number, 6, 120)
            seen += [each.text for each in page.memories]
        beyond = ledger.page(session, ada.user_id, number=10**30)
        before = ledger.page(session, ada.user_id, number=-1)
    assert seen == [f"thing number {number}" for number in reversed(range(120))]
    assert beyond.memories[-1].text == "thing number 0"
    assert before.number == 1
    with book.database.writing() as session:
        numbers = ledger.numbers(session, ada.user_id)
        assert len(ledger.remove(session, ada.user_id, numbers, LATER)) == 120
    assert await book.texts(ada) == []
    assert await book.made_of(MemoryTermRow) == set()
    with book.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(MemoryRow)) == 0
        assert ledger.page(session, ada.user_id).pages == 1


async def test_every_has_the_first_of_a_limit_or_all(book: Book, ada: User) -> None:
    for text in ("one", "two", "three"):
        await book.keep(ada, text)
    with book.database.reading() as session:
        first = ledger.every(session, ada.user_id, limit=2)
        found = ledger.every(session, ada.user_id)
    assert [each.text for each in first] == ["one", "two"]
    assert [each.text for each in found] == ["one", "two", "three"]


async def test_memories_are_removed_with_their_earlier_versions_and_all_made_of_them(
    book: Book, ada: User
) -> None:
    old = await book.keep(ada, said("I live in Bonn", entities=("place:bonn",)))
    new = await book.replace(ada, old, said("I live in Ulm", entities=("place:ulm",)))
    other = await book.keep(ada, said(POT, entities=("place:gate",)))
    asked = [new.memory.memory_id, old.memory.memory_id, new.memory.memory_id, 99, 10**30]
    gone = await book.remove(ada, *asked)
    assert sorted(each.text for each in gone) == ["I live in Bonn", "I live in Ulm"]
    assert await book.texts(ada) == [POT]
    for table in (MemoryTermRow, MemoryEntityRow):
        assert await book.made_of(table) == {other.memory.memory_id}
    removed = {each.memory_id for each in await book.operations() if each.operation == "remove"}
    assert removed == {old.memory.memory_id, new.memory.memory_id}


async def test_a_removed_earlier_version_leaves_its_successor(book: Book, ada: User) -> None:
    old = await book.keep(ada, "I live in Bonn")
    await book.replace(ada, old, "I live in Ulm")
    await book.remove(ada, old.memory.memory_id)
    assert await book.texts(ada) == ["I live in Ulm"]


async def test_a_number_is_never_given_again(book: Book, ada: User) -> None:
    first = await book.keep(ada, POT)
    await book.remove(ada, first.memory.memory_id)
    assert (await book.keep(ada, POT)).memory.memory_id > first.memory.memory_id


async def test_many_are_read_in_the_order_of_their_numbers(book: Book, ada: User) -> None:
    numbers = [(await book.keep(ada, text)).memory.memory_id for text in ("a", "b", "c")]
    wanted = [*range(2 * ledger.CHUNK, 3, -1), *reversed(numbers), 10**30, -5]
    found = await book.database.read(ledger.get_many, ada.user_id, wanted)
    assert [each.memory_id for each in found] == numbers


async def test_a_transaction_that_fails_leaves_neither_row_nor_operation(
    book: Book, ada: User
) -> None:
    old = await book.keep(ada, "I live in Bonn")
    number, before = old.memory.memory_id, await book.operations()

    async def change_and_fail() -> None:
        with book.database.writing() as session:
            entry = said(POT, entities=("place:gate",))
            ledger.add(session, ada.user_id, entry, LATER)
            ledger.supersede(session, ada.user_id, number, said("I live in Ulm"), LATER)
            ledger.remove(session, ada.user_id, [number], LATER)
            raise RuntimeError("afterwards")

    with pytest.raises(RuntimeError, match="afterwards"):
        await change_and_fail()
    assert await book.operations() == before
    assert await book.texts(ada) == ["I live in Bonn"]
    assert await book.made_of(MemoryTermRow) == {number}
    assert await book.made_of(MemoryEntityRow) == set()
