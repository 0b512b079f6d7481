"""Whose memory it is: named in every call, checked before anything is read, and never
another's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session

from gaia.errors import MissingOwnerError, UnknownMemoryError
from gaia.memory import ledger
from gaia.memory.memory import Memory
from gaia.memory.people import entities
from gaia.store.engine import Database
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemorySource,
    MemoryStatus,
    MemoryTermRow,
)
from gaia.store.ownership import join_users, wipe_user
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said

POT = "The gate code is under the blue pot"

Call = Callable[[Session, str], object]

CALLS: dict[str, Call] = {
    "add": partial(ledger.add, said=said(POT), now=START),
    "supersede": partial(ledger.supersede, memory_id=1, said=said(POT), now=START),
    "give_way": partial(ledger.give_way, memory_id=1, heir_id=1, now=START),
    "retract": partial(ledger.retract, memory_id=1, now=START),
    "set_pinned": partial(ledger.set_pinned, memory_id=1, pinned=True, now=START),
    "set_sensitive": partial(ledger.set_sensitive, memory_id=1, sensitive=True, now=START),
    "get": partial(ledger.get, memory_id=1),
    "find": partial(ledger.find, memory_id=1),
    "get_many": partial(ledger.get_many, memory_ids=[1]),
    "page": ledger.page,
    "every": partial(ledger.every, limit=10, active=False),
    "numbers": ledger.numbers,
    "count": ledger.count,
    "count_by_context": ledger.count_by_context,
    "earlier_versions": partial(ledger.earlier_versions, memory_ids=[1]),
    "remove": partial(ledger.remove, memory_ids=[1], now=START),
}
HELD = {**CALLS, "entities": partial(entities.of_memory, memory_id=1)}


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """The statements that are run within the block."""
    seen: list[str] = []

    def note(connection: Connection, cursor: object, statement: str, *rest: object) -> None:
        seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield seen
    event.remove(database.engine, "before_cursor_execute", note)


def test_every_function_of_the_ledger_that_works_on_rows_is_held_to_it() -> None:
    functions = {
        name
        for name, function in inspect.getmembers(ledger, inspect.isfunction)
        if function.__module__ == ledger.__name__
        and not name.startswith("_")
        and "session" in inspect.signature(function).parameters
    }
    assert functions == set(CALLS)


@pytest.mark.parametrize("user_id", ["", "  ", None, 7], ids=repr)
@pytest.mark.parametrize("name", HELD)
async def test_without_an_owner_nothing_is_asked_of_the_database(
    database: Database, name: str, user_id: str
) -> None:
    with statements(database) as seen, database.writing() as session:
        seen.clear()
        with pytest.raises(MissingOwnerError, match="name whose memory it is"):
            HELD[name](session, user_id)
        assert seen == []


@pytest.mark.parametrize("name", sorted({*HELD} - {"add"}))
async def test_another_s_rows_are_neither_read_nor_changed(
    book: Book, ada: User, bob: User, name: str
) -> None:
    old = await book.keep(ada, said("It is under the red pot", entities=("place:gate",)))
    await book.replace(ada, old, said(POT, entities=("place:gate",)))
    before = await everything(book, ada)
    operations = await book.operations()
    with book.database.writing() as session:
        for number in (old.memory.memory_id, old.memory.memory_id + 1):
            call = HELD[name]
            if isinstance(call, partial) and "memory_id" in call.keywords:
                call = partial(call, memory_id=number)
            elif isinstance(call, partial) and "memory_ids" in call.keywords:
                call = partial(call, memory_ids=[number])
            try:
                found = call(session, bob.user_id)
            except UnknownMemoryError:
                continue
            found = found.memories if isinstance(found, ledger.Page) else found
            assert not found, f"{name} gave {found}"
    assert await everything(book, ada) == before
    assert await book.operations() == operations


async def test_two_people_may_say_the_same(book: Book, ada: User, bob: User) -> None:
    mine, yours = await book.keep(ada, POT), await book.keep(bob, POT)
    assert yours.is_new
    await book.remove(ada, mine.memory.memory_id, yours.memory.memory_id)
    assert (await book.texts(ada), await book.texts(bob)) == ([], [POT])
    assert await book.made_of(MemoryTermRow) == {yours.memory.memory_id}


async def test_of_one_who_is_removed_nothing_is_left_but_word_to_the_index(
    book: Book, ada: User, bob: User
) -> None:
    old = await book.keep(bob, said("I live in Bonn", entities=("place:bonn",)))
    await book.replace(bob, old, said("I live in Ulm", entities=("place:ulm",)))
    kept = await book.keep(ada, said(POT, entities=("place:gate",)))
    await book.database.write(wipe_user, bob.user_id, START)
    assert await everything(book, bob) == []
    for table in (MemoryTermRow, MemoryEntityRow):
        assert await book.made_of(table) == {kept.memory.memory_id}
    assert [each.operation for each in await book.operations() if each.user_id == bob.user_id] == [
        IndexOperation.DROP_USER
    ]


async def test_what_two_users_know_is_known_to_the_one_they_become(
    book: Book, ada: User, bob: User
) -> None:
    mine = await book.keep(ada, "I drink tea")
    yours = await book.keep(bob, said("I live in Ulm", entities=("place:ulm",)))
    await join(book, bob, ada)
    assert await book.texts(ada) == ["I drink tea", "I live in Ulm"]
    assert (await book.stored(ada, yours.memory.memory_id)).user_id == ada.user_id
    about = await book.database.read(entities.about, ada.user_id, "place:ulm")
    assert [each.text for each in about] == ["I live in Ulm"]
    assert await book.made_of(MemoryTermRow) == {mine.memory.memory_id, yours.memory.memory_id}
    assert [(each.user_id, each.operation, each.memory_id) for each in await book.operations()] == [
        (ada.user_id, IndexOperation.PUT, mine.memory.memory_id),
        (bob.user_id, IndexOperation.DROP_USER, None),
        (ada.user_id, IndexOperation.PUT, yours.memory.memory_id),
    ]


async def test_what_both_know_is_one_memory_with_all_that_either_had_of_it(
    book: Book, ada: User, bob: User
) -> None:
    mine = await book.keep(ada, said(POT, MemorySource.DIGEST, entities=("place:gate",)))
    red = await book.keep(bob, "It is under the red pot")
    blue = said(POT, sensitive=True, entities=("place:gate", "thing:pot"))
    yours = await book.replace(bob, red, blue)
    await join(book, bob, ada)
    (one,) = [each for each in await everything(book, ada) if each.status is MemoryStatus.ACTIVE]
    assert one.memory_id == mine.memory.memory_id
    assert (one.support, one.sensitive, one.source) == (2, True, MemorySource.USER)
    with book.database.reading() as session:
        about = entities.of_memory(session, ada.user_id, one.memory_id)
        versions = ledger.earlier_versions(session, ada.user_id, [one.memory_id])
    assert about == ["place:gate", "thing:pot"]
    assert [each.text for each in versions] == ["It is under the red pot"]
    assert yours.memory.memory_id not in await book.made_of(MemoryTermRow)
    await book.remove(ada, one.memory_id)
    assert await everything(book, ada) == []


async def join(book: Book, gone: User, into: User) -> None:
    await book.database.write(join_users, gone, into, START)


async def everything(book: Book, user: User) -> list[Memory]:
    return list(await book.database.read(ledger.every, user.user_id, limit=100, active=False))
