"""Several processes on one database: who leads, who holds a conversation, and that nothing counts
which one does that others took for dead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import JsonValue
from sqlalchemy import text, update

from gaia.messages import Address
from gaia.paths import Home
from gaia.settings.agreement import Exchange, Position, ToldValue
from gaia.store import conversations, homes, identities, outbox, processes, shared_settings
from gaia.store.identities import Role
from gaia.store.membership import Callbacks, Membership
from gaia.store.postgres import PostgresDatabase
from gaia.store.postgres_faults import TakenForDeadError
from gaia.store.tables import OutboxRow, OutboxState
from gaia.store.users import Users
from gaia.testing.clock import START, FakeClock
from tests.harness.postgres import PostgresServer

EXPIRE = text("UPDATE processes SET expires_at = '2000-01-01' WHERE process_id = :process_id")


@pytest.fixture
async def opened(postgres: PostgresServer) -> AsyncIterator[Callable[[], PostgresDatabase]]:
    """Opens the same database again and again, as processes do."""
    url = postgres.database()
    made: list[PostgresDatabase] = []

    def make() -> PostgresDatabase:
        made.append(PostgresDatabase(url))
        return made[-1]

    yield make
    for database in made:
        await database.close()
    postgres.drop(url)


@pytest.fixture
async def database(opened: Callable[[], PostgresDatabase]) -> PostgresDatabase:
    return opened()


@pytest.fixture
async def talk(database: PostgresDatabase) -> int:
    """The number of a conversation."""
    ada = await Users(database, FakeClock()).create("Ada", Role.OWNER, Address("fake", "ada"))
    with database.writing() as session:
        return conversations.create(
            session, user_id=ada.user_id, channel="fake", chat="ada", direct=True, now=START
        ).conversation_id


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


class Member:
    """A process that is only a member, and what it was told."""

    def __init__(self, database: PostgresDatabase, home: Path) -> None:
        self.database = database
        folder = Home(home)
        folder.create()
        self.membership = Membership(database, folder, beat_seconds=0.05, steady_seconds=0.0)
        self.woken: list[int] = []
        self.recovered = self.led = self.forgotten = self.cleaned = self.changed = 0
        self._changed = asyncio.Event()
        self.membership.tell(
            Callbacks(
                woken=self._woken,
                recover=self._recover,
                led=self._led,
                forgotten=self._forget,
                clean=self._clean,
                settings=self._change,
            )
        )

    @asynccontextmanager
    async def working(self) -> AsyncIterator[asyncio.Task[None]]:
        await self.membership.join()
        task = asyncio.create_task(self.membership.run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._changed.clear()
            await self._changed.wait()

    def _woken(self, conversation_id: int) -> None:
        self.woken.append(conversation_id)
        self._changed.set()

    async def _recover(self) -> None:
        self.recovered += 1
        self._changed.set()

    def _forget(self) -> None:
        self.forgotten += 1
        self._changed.set()

    def _clean(self) -> None:
        self.cleaned += 1
        self._changed.set()

    def _change(self) -> None:
        self.changed += 1
        self._changed.set()

    async def _led(self) -> None:
        self.led += 1
        self._changed.set()


@pytest.fixture
def member(opened: Callable[[], PostgresDatabase], tmp_path: Path) -> Callable[[str], Member]:
    return lambda name: Member(opened(), tmp_path / name)


async def test_the_holder_is_told_of_what_others_take(
    member: Callable[[str], Member], talk: int
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await ada.until(lambda: ada.recovered > 0)
        assert await ada.membership.takes(talk)
        assert not await bob.membership.takes(talk)
        await ada.until(lambda: ada.woken == [talk])
        assert bob.woken == []


async def test_the_leader_is_told_of_its_work(member: Callable[[str], Member]) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        assert (ada.membership.leads, bob.membership.leads) == (True, False)
        await ada.until(lambda: ada.recovered > 0)
        before = ada.led
        assert await ada.membership.of_leader().takes(0)
        assert not await bob.membership.of_leader().takes(0)
        await ada.until(lambda: ada.led > before)
        assert bob.led == 0


async def test_all_are_told_what_is_forgotten(member: Callable[[str], Member]) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await bob.until(lambda: bob.recovered > 0)
        ada.membership.tell_forgotten()
        await bob.until(lambda: bob.forgotten == 1)


async def test_all_are_told_to_clean_their_files(
    member: Callable[[str], Member], database: PostgresDatabase
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await bob.until(lambda: bob.recovered > 0)
        await database.write(processes.notify, homes.CLEAN)
        await ada.until(lambda: ada.cleaned == 1)
        await bob.until(lambda: bob.cleaned == 1)


async def test_the_others_are_told_of_changed_settings_and_of_each_the_last_is_kept(
    member: Callable[[str], Member], database: PostgresDatabase
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await ada.until(lambda: ada.changed == 1)
        await bob.until(lambda: bob.changed == 1)
        due = await share(ada, {}, None)
        due = await share(ada, {"one": "\0", "two": 2}, due.position)
        await bob.until(lambda: bob.changed == 2)
        await share(ada, {"one": [3.5, {"key": None}], "two": 2}, due.position)
        await bob.until(lambda: bob.changed == 3)
        # What is told itself of comes by the same way, and would have come before this.
        await database.write(processes.notify, "forgotten")
        await ada.until(lambda: ada.forgotten == 1)
        assert ada.changed == 1
        found = await share(bob, {}, Position(0, {}, {}))
        assert found.take == [
            ToldValue(1, "two", 2, ada.membership.name),
            ToldValue(2, "one", [3.5, {"key": None}], ada.membership.name),
        ]


async def share(
    member: Member, values: dict[str, JsonValue], position: Position | None
) -> Exchange:
    membership = member.membership
    identity = membership.process_id, membership.name
    return await member.database.write(shared_settings.exchange, values, position, *identity)


async def test_who_leaves_is_followed_at_once(member: Callable[[str], Member], talk: int) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        assert await ada.membership.takes(talk)
        await bob.until(lambda: bob.recovered > 0)
        before = bob.recovered
        await ada.membership.leave()
        await bob.until(lambda: bob.recovered > before)
        assert bob.membership.leads
        assert await bob.membership.takes(talk)


async def test_one_that_gave_no_sign_ends_and_another_takes_over(
    member: Callable[[str], Member], database: PostgresDatabase, talk: int
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working() as adas_life:
        await ada.until(lambda: ada.recovered > 0)
        assert await ada.membership.takes(talk)
        await database.write(processes.leave, ada.membership.process_id)
        with pytest.raises(TakenForDeadError):
            await adas_life
        assert ada.membership.is_over
        assert not ada.membership.lives
        async with bob.working():
            assert bob.membership.leads
            assert bob.membership.lives
            assert await bob.membership.takes(talk)


async def test_a_server_that_starts_again_costs_nobody_their_place(
    member: Callable[[str], Member], postgres: PostgresServer
) -> None:
    ada = member("ada")
    async with ada.working() as life:
        await ada.until(lambda: ada.recovered > 0)
        postgres.restart()
        seen = ada.recovered
        await ada.until(lambda: ada.recovered > seen)
        assert ada.membership.lives
        assert not life.done()


async def test_an_address_is_read_once_for_all_connections(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.database().set(password="a b%+")
    database = PostgresDatabase(url.update_query_dict({"options": "-c search_path=public"}))
    ada = Member(database, tmp_path)
    async with ada.working():
        await ada.until(lambda: ada.recovered > 0)
        assert await database.read(lambda session: session.scalar(text("SHOW search_path")))
    await database.close()
    postgres.drop(url)
