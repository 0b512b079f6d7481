"""Several processes on one database: who leads, who holds a conversation, and that nothing counts
which one does that others took for dead."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import update

from gaia.store import outbox
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.postgres.faults import TakenForDeadError
from gaia.store.processes import processes
from gaia.store.tables import OutboxRow, OutboxState
from gaia.testing.clock import START
from tests.harness.members import EXPIRE


async def join(database: PostgresDatabase, process_id: str, home: str) -> bool:
    return await database.write(processes.join, process_id, home, f"name of {process_id}", "1")


async def expire(database: PostgresDatabase, process_id: str) -> None:
    with database.writing() as session:
        session.execute(EXPIRE, {"process_id": process_id})


async def names(database: PostgresDatabase) -> list[str]:
    return [each.process_id for each in await database.read(processes.listed)]


async def test_the_first_leads_and_the_next_once_it_has_left(database: PostgresDatabase) -> None:
    assert await join(database, "a", "one")
    assert not await join(database, "b", "two")
    assert not await database.write(processes.lead, "b")
    await database.write(processes.leave, "a")
    assert await database.write(processes.lead, "b")
    (left,) = await database.read(processes.listed)
    assert (left.process_id, left.leads, left.lives, left.held) == ("b", True, True, 0)


async def test_one_of_the_same_home_has_ended(database: PostgresDatabase, talk: int) -> None:
    await join(database, "a", "one")
    assert await database.write(processes.claim, talk, "a") == ("a", "fake")
    assert await join(database, "b", "one")
    assert await names(database) == ["b"]
    assert await database.write(processes.claim, talk, "b") == ("b", "fake")


async def test_a_conversation_is_held_by_one(database: PostgresDatabase, talk: int) -> None:
    await join(database, "a", "one")
    await join(database, "b", "two")
    assert await database.write(processes.claim, talk, "a") == ("a", "fake")
    assert await database.write(processes.claim, talk, "b") == ("a", "fake")
    await join(database, "c", "three")
    await database.write(processes.leave, "c")
    assert await database.write(processes.claim, talk, "b") == ("a", "fake"), (
        "it is not b's to release"
    )
    await database.write(processes.leave, "a")
    assert await database.write(processes.claim, talk, "b") == ("b", "fake")
    assert await database.write(processes.claim, 99, "b") is None


async def test_a_chat_goes_with_whoever_is_at_it_unless_something_is_under_way(
    database: PostgresDatabase, talk: int
) -> None:
    await join(database, "a", "one")
    await join(database, "b", "two")
    await database.write(processes.claim, talk, "a")
    assert await database.write(processes.move, "fake", "ada", "b") == [talk]
    assert await database.write(processes.move, "fake", "bob", "b") == []
    assert await database.write(processes.claim, talk, "a") == ("b", "fake")
    with database.writing() as session:
        outbox.add(session, conversation_id=talk, turn_id=None, chunks=("hi",), now=START)
        session.execute(update(OutboxRow).values(state=OutboxState.SENDING))
    assert await database.write(processes.move, "fake", "ada", "a") == []
    assert await database.write(processes.claim, talk, "a") == ("b", "fake")


async def test_only_those_without_a_sign_are_removed_and_none_removes_itself(
    database: PostgresDatabase, talk: int
) -> None:
    for process_id in "abc":
        await join(database, process_id, process_id)
    await database.write(processes.claim, talk, "b")
    for process_id in "ab":
        await expire(database, process_id)
    assert await database.write(processes.remove_expired, "a") == ["name of b"]
    assert await names(database) == ["a", "c"]
    assert await database.write(processes.claim, talk, "c") == ("c", "fake")


async def test_nothing_counts_that_one_taken_for_dead_writes(
    opened: Callable[[], PostgresDatabase], database: PostgresDatabase
) -> None:
    still = opened()
    await join(database, "a", "one")
    still.belong_to("a")
    await still.write(identities.create, "Ada", Role.OWNER, now=START)
    await expire(database, "a")
    await still.write(identities.create, "Bob", Role.MEMBER, now=START)
    await database.write(processes.remove_expired, "b")
    with pytest.raises(TakenForDeadError, match="taken over"):
        await still.write(identities.create, "Eve", Role.MEMBER, now=START)
    known = await database.read(identities.everybody)
    assert [each.name for each in known] == ["Ada", "Bob"]
