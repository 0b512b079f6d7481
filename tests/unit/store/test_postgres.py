"""A PostgreSQL database whose server, or the way to it, has faults."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import URL, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.ops.service import watchdog
from gaia.store.engine import UnknownOutcomeError
from gaia.store.postgres.database import PostgresDatabase, last_write
from gaia.store.postgres.faults import LostConnectionError, store_error
from tests.harness.postgres import PostgresServer, postgres_server
from tests.harness.postgres_way import READ, STILL, WRITTEN, Way, way_to

NAME = "the PostgreSQL database 'gaia' at db.example.org"

LOST = (
    errors.ConnectionFailure,
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
    errors.IdleSessionTimeout,
    errors.TransactionTimeout,
)
SAID = {
    errors.InvalidPassword: "check the user and the password",
    errors.InvalidAuthorizationSpecification: "check the user and the password",
    errors.InvalidCatalogName: "create it, or mend its address",
    errors.DiskFull: "give its server room",
    errors.TooManyConnections: "more connections",
    errors.LockNotAvailable: "end what holds it",
    errors.ReadOnlySqlTransaction: "that of the primary server",
    errors.InsufficientPrivilege: "give its user the right to",
    errors.QueryCanceled: "try again",
    errors.IoError: "look at its server's disk",
    errors.DataCorrupted: "look at the server's log",
}
NOT_ITS_FAULT = (errors.UniqueViolation, errors.UndefinedTable, errors.InvalidTextRepresentation)


@pytest.mark.parametrize("kind", LOST)
def test_a_server_that_ends_is_a_lost_connection(kind: type[psycopg.Error]) -> None:
    found = store_error(NAME, kind("it\n  ends"))
    assert isinstance(found, LostConnectionError)
    assert str(found) == (
        f"{NAME} does not answer (it ends): check that its server runs and has a connection left, "
        "and that its address, its user and its password are right"
    )


def test_so_is_what_has_no_code() -> None:
    assert isinstance(store_error(NAME, psycopg.OperationalError("no route")), LostConnectionError)
    assert isinstance(store_error(NAME, psycopg.InterfaceError("closed")), LostConnectionError)


@pytest.mark.parametrize(("kind", "remedy"), SAID.items())
def test_each_kind_of_fault_has_its_remedy(kind: type[psycopg.Error], remedy: str) -> None:
    found = store_error(NAME, kind("it says why"))
    assert type(found) is StoreError
    assert str(found).startswith(NAME)
    assert "(it says why)" in str(found)
    assert remedy in str(found)


@pytest.mark.parametrize("kind", NOT_ITS_FAULT)
def test_what_the_caller_did_wrong_is_no_fault_of_the_server(kind: type[psycopg.Error]) -> None:
    assert store_error(NAME, kind("wrong")) is None
    assert store_error(NAME, ValueError()) is None


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that may be killed."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def url(server: PostgresServer) -> URL:
    return server.database()


@pytest.fixture
def way(url: URL) -> Iterator[tuple[Way, URL]]:
    with TemporaryDirectory(prefix="way", dir="/tmp") as folder, way_to(url, Path(folder)) as way:
        yield way


@pytest.fixture
async def database(way: tuple[Way, URL]) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(way[1])
    await database.write(Session.execute, text("CREATE TABLE words (word TEXT PRIMARY KEY)"))
    yield database
    await database.close()


def add(session: Session, word: str) -> str:
    session.execute(text("INSERT INTO words VALUES (:word)"), {"word": word})
    return f"{word} is added"


def words(session: Session) -> list[str]:
    return list(session.scalars(text("SELECT word FROM words ORDER BY word")))


async def test_a_commit_whose_answer_is_lost_was_one(
    way: tuple[Way, URL], database: PostgresDatabase
) -> None:
    way[0].breaks = WRITTEN
    assert await database.write(add, "one") == "one is added"
    assert way[0].breaks == ""
    assert await database.read(words) == ["one"]


async def test_so_was_one_whose_answer_is_long_in_coming(way: tuple[Way, URL], url: URL) -> None:
    database = PostgresDatabase(way[1], silent_seconds=1.0)
    await database.write(Session.execute, text("CREATE TABLE words (word TEXT PRIMARY KEY)"))
    way[0].breaks = STILL
    assert await database.write(add, "one") == "one is added"
    assert way[0].breaks == ""
    way[0].mark, way[0].breaks = b"INSERT", STILL
    with pytest.raises(LostConnectionError, match=r"nothing came back for 1 s"):
        await database.write(add, "two")
    way[0].close()
    rest = PostgresDatabase(url)
    assert await rest.read(words) == ["one"]
    for each in (database, rest):
        await each.close()


async def test_one_that_never_arrives_was_none(
    way: tuple[Way, URL], database: PostgresDatabase
) -> None:
    way[0].breaks = READ
    with pytest.raises(LostConnectionError):
        await database.write(add, "one")
    assert way[0].breaks == ""
    assert await database.read(words) == []
    await database.write(add, "one")


@pytest.mark.parametrize("how", [READ, WRITTEN])
async def test_a_server_that_was_killed_while_it_committed_invents_nothing(
    way: tuple[Way, URL], database: PostgresDatabase, server: PostgresServer, how: str
) -> None:
    way[0].breaks, way[0].meanwhile = how, server.restart
    with pytest.raises(UnknownOutcomeError if how == WRITTEN else LostConnectionError):
        await database.write(add, "one")
    assert await database.read(words) == (["one"] if how == WRITTEN else [])


async def test_a_standby_that_is_not_promoted_is_not_believed(
    way: tuple[Way, URL], database: PostgresDatabase, server: PostgresServer
) -> None:
    database.outcome_seconds = 0.5
    way[0].breaks, way[0].meanwhile = READ, partial(server.restart, standby=True)
    try:
        with pytest.raises(UnknownOutcomeError):
            await database.write(add, "one")
        with pytest.raises(StoreError, match="that of the primary server"):
            await database.write(add, "one")
    finally:
        await asyncio.to_thread(server.promote)
    assert await database.write(add, "one") == "one is added"


async def test_nobody_waits_for_ever_for_what_became_of_a_commit(
    way: tuple[Way, URL], database: PostgresDatabase, server: PostgresServer
) -> None:
    database.outcome_seconds = 0.5
    way[0].breaks, way[0].meanwhile = WRITTEN, server.kill
    try:
        with pytest.raises(UnknownOutcomeError, match="cannot tell whether it did"):
            await database.write(add, "one")
        with pytest.raises(LostConnectionError, match="check that its server runs"):
            await database.read(words)
    finally:
        server.restart()
    assert await database.read(words) in (["one"], [])


async def test_a_connection_lost_before_the_commit_is_asked_nothing(
    database: PostgresDatabase, server: PostgresServer
) -> None:
    def fail(session: Session) -> None:
        add(session, "one")
        server.kill()
        add(session, "two")

    began = time.monotonic()
    try:
        with pytest.raises(LostConnectionError):
            await database.write(fail)
        assert time.monotonic() - began < 5
    finally:
        server.restart()
    assert await database.read(words) == []


async def test_who_stands_still_in_a_transaction_holds_nobody_up(url: URL) -> None:
    hasty = url.update_query_dict({"options": "-c idle_in_transaction_session_timeout=300ms"})
    still, other = PostgresDatabase(hasty), PostgresDatabase(url)
    await other.write(Session.execute, text("CREATE TABLE words (word TEXT PRIMARY KEY)"))

    def stand(session: Session) -> None:
        add(session, "one")
        time.sleep(2)
        add(session, "two")

    standing = asyncio.create_task(still.write(stand))
    await asyncio.sleep(0.2)
    began = time.monotonic()
    await other.write(add, "three")
    assert time.monotonic() - began < 1.5
    with pytest.raises(LostConnectionError):
        await standing
    assert await other.read(words) == ["three"]
    assert await still.write(add, "four") == "four is added"
    for each in (still, other):
        await each.close()


async def test_the_watchdog_waits_for_a_server_that_is_down(
    database: PostgresDatabase, server: PostgresServer
) -> None:
    server.kill()
    try:
        assert await watchdog.of_store(database, seconds=1)() == ""
    finally:
        server.restart()


async def test_a_broken_constraint_stays_what_it_is(database: PostgresDatabase) -> None:
    await database.write(add, "one")
    with pytest.raises(IntegrityError):
        await database.write(add, "one")


async def test_each_write_is_noticed_and_no_read(url: URL, database: PostgresDatabase) -> None:
    before = last_write(url)
    await database.read(words)
    assert last_write(url) == before
    await database.write(add, "one")
    assert last_write(url) != before
