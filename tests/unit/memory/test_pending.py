"""What gaia is not sure of: held until something else supports it, and found by nobody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gaia.errors import CredentialError, ForgottenError, UnknownMemoryError
from gaia.memory import forgotten, ledger, pending
from gaia.memory.memory import Added, Memory, Statement
from gaia.store import profiles
from gaia.store.engine import Database
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemoryRow,
    MemorySource,
    MemoryStatus,
    MemoryTermRow,
)
from gaia.store.people.identities import User
from gaia.store.profiles import Profile
from gaia.testing.clock import START
from tests.harness.book import Book, said

LATER = START + timedelta(days=1)
TEA = said("I drink tea", MemorySource.DIGEST, digest_id=1, turn_id="t1", entities=("thing:tea",))


async def hold(book: Book, user: User, statement: Statement) -> Added:
    return await book.database.write(pending.add, user.user_id, statement, START)


async def put_profile(database: Database, user: User) -> None:
    await database.write(profiles.put, user.user_id, Profile((), True, "x"), START)


async def has_profile(database: Database, user: User) -> bool:
    return await database.read(profiles.get, user.user_id) is not None


async def test_what_is_held_has_no_full_text_and_no_vector(book: Book, ada: User) -> None:
    added = await hold(book, ada, TEA)
    assert (added.is_new, added.memory.status) == (True, MemoryStatus.PENDING)
    assert await book.texts(ada) == []
    assert await book.made_of(MemoryTermRow) == set()
    assert await book.made_of(MemoryEntityRow) == {added.memory.memory_id}
    assert await book.operations() == []


@pytest.mark.parametrize("again", [TEA, replace(TEA, turn_id="t2"), replace(TEA, digest_id=2)])
async def test_the_same_from_the_same_turn_or_digest_is_no_support(
    book: Book, ada: User, again: Statement
) -> None:
    first = await hold(book, ada, TEA)
    second = await hold(book, ada, again)
    assert (second.is_new, second.memory.memory_id) == (False, first.memory.memory_id)
    assert second.memory.status is MemoryStatus.PENDING


async def test_a_file_supports_nothing(book: Book, ada: User) -> None:
    await hold(book, ada, TEA)
    copied = await hold(book, ada, said("I drink tea", MemorySource.IMPORT))
    assert copied.memory.status is MemoryStatus.PENDING


async def test_another_doubt_makes_nothing_count_and_certainty_does(book: Book, ada: User) -> None:
    first = await hold(book, ada, TEA)
    again = replace(TEA, text="i drink TEA", digest_id=2, turn_id="t9")
    second = await hold(book, ada, again)
    assert (second.memory.status, second.is_new) == (MemoryStatus.PENDING, False)
    third = await book.keep(ada, again)
    assert (third.memory.memory_id, third.memory.support) == (first.memory.memory_id, 2)
    assert await book.texts(ada) == ["I drink tea"]
    assert await book.made_of(MemoryTermRow) == {first.memory.memory_id}
    assert [each.operation for each in await book.operations()] == [IndexOperation.PUT]


async def test_the_user_who_says_so_makes_it_count(book: Book, ada: User) -> None:
    await hold(book, ada, TEA)
    kept = await book.keep(ada, "I drink tea")
    assert (kept.is_new, kept.memory.source) == (True, MemorySource.USER)
    assert await book.texts(ada) == ["I drink tea"]


async def test_what_counts_already_is_not_held_beside_it(book: Book, ada: User) -> None:
    await book.keep(ada, "I drink tea")
    assert not (await hold(book, ada, TEA)).is_new
    assert await book.database.read(ledger.count, ada.user_id, MemoryStatus.PENDING) == 0


async def test_what_is_refused_elsewhere_is_not_held_either(book: Book, ada: User) -> None:
    with pytest.raises(CredentialError):
        await hold(book, ada, replace(TEA, text="my password is hunter2!"))
    await book.database.write(forgotten.note, ada.user_id, ["I drink tea"], START)
    with pytest.raises(ForgottenError):
        await hold(book, ada, TEA)


async def test_the_user_confirms_what_is_theirs_alone(book: Book, ada: User, bob: User) -> None:
    number = (await hold(book, ada, TEA)).memory.memory_id
    with book.database.writing() as session:
        for user_id, wanted in ((bob.user_id, number), (ada.user_id, 99)):
            with pytest.raises(UnknownMemoryError, match="--pending"):
                pending.confirm(session, user_id, wanted, LATER)
        page = pending.page(session, ada.user_id)
        assert [each.memory_id for each in page.memories] == [number]
        memory = pending.confirm(session, ada.user_id, number, LATER)
        assert (memory.status, memory.support) == (MemoryStatus.ACTIVE, 2)
    assert await book.made_of(MemoryTermRow) == {number}


async def test_two_that_say_the_same_become_one_when_one_is_confirmed(
    book: Book, ada: User, bob: User
) -> None:
    number = (await hold(book, bob, TEA)).memory.memory_id
    mine = await book.keep(ada, "I drink tea")
    with book.database.writing() as session:
        row = session.get_one(MemoryRow, number)
        row.user_id = ada.user_id
        session.flush()
        memory = pending.confirm(session, ada.user_id, number, LATER)
    assert (memory.memory_id, memory.support) == (mine.memory.memory_id, 2)
    assert await book.database.read(ledger.numbers, ada.user_id) == [mine.memory.memory_id]


async def test_what_holds_no_longer_has_an_end_and_no_successor(book: Book, ada: User) -> None:
    number = (await book.keep(ada, "I drink tea")).memory.memory_id
    await put_profile(book.database, ada)
    await book.database.write(ledger.retract, ada.user_id, number, LATER)
    was = await book.stored(ada, number)
    assert (was.status, was.valid_to, was.superseded_by) == (MemoryStatus.SUPERSEDED, LATER, None)
    assert await book.made_of(MemoryTermRow) == set()
    assert [each.operation for each in await book.operations()][-1] is IndexOperation.REMOVE
    assert not await has_profile(book.database, ada)


async def test_what_was_ended_counts_again_unless_something_says_the_same(
    book: Book, ada: User
) -> None:
    old = await book.keep(ada, "I live in Bonn")
    await book.replace(ada, old, "I live in Ulm")
    again = await reactivated(book, ada, old)
    assert again is not None
    assert (again.status, again.valid_to, again.superseded_by) == (MemoryStatus.ACTIVE, None, None)
    assert await book.texts(ada) == ["I live in Bonn", "I live in Ulm"]
    assert old.memory.memory_id in await book.made_of(MemoryTermRow)
    await book.replace(ada, old, "I live in Köln")
    await book.keep(ada, "I live in Bonn")
    assert await reactivated(book, ada, old) is None


async def test_what_ran_out_is_archived_and_what_nobody_supported_goes(
    book: Book, ada: User, bob: User
) -> None:
    await book.keep(ada, said("I am in Rome", expires_at=LATER))
    await book.keep(bob, said("I am in Oslo", expires_at=LATER + timedelta(seconds=1)))
    await hold(book, ada, TEA)
    await put_profile(book.database, ada)
    await put_profile(book.database, bob)
    with book.database.writing() as session:
        assert pending.expire(session, LATER) == 1
        assert pending.expire(session, LATER) == 0
        assert pending.drop_old(session, START) == 0
        assert pending.drop_old(session, LATER) == 1
    assert (await book.texts(ada), await book.texts(bob)) == ([], ["I am in Oslo"])
    assert (await book.stored(ada, 1)).status is MemoryStatus.ARCHIVED
    assert await book.made_of(MemoryTermRow) == {2}
    assert await book.made_of(MemoryEntityRow) == set()
    assert not await has_profile(book.database, ada)
    assert await has_profile(book.database, bob)


async def reactivated(book: Book, user: User, added: Added) -> Memory | None:
    return await book.database.write(
        pending.reactivate, user.user_id, added.memory.memory_id, LATER
    )
