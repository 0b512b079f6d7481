"""`Database`: pragmas, transactions, and what happens when they are disturbed."""

import asyncio
import random
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator
from contextvars import ContextVar
from pathlib import Path

import pytest
from sqlalchemy import Result, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.store.engine import CONNECTIONS, Database
from gaia.store.sqlite.database import READ_ONLY, SqliteDatabase

pytestmark = pytest.mark.sqlite

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 1,
    "secure_delete": 1,
    "foreign_keys": 1,
    "busy_timeout": 10_000,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "odd name?#%41é.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    database = SqliteDatabase(path)
    with database.writing() as session:
        session.execute(text("CREATE TABLE parents (id INTEGER PRIMARY KEY, note TEXT)"))
        session.execute(text("CREATE TABLE children (parent REFERENCES parents (id))"))
        session.execute(text("CREATE TABLE counters (value INTEGER)"))
        session.execute(text("INSERT INTO counters VALUES (0)"))
    yield database
    await database.close()


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def count(database: Database) -> int:
    return await database.read(value_of)


def value_of(session: Session) -> int:
    return int(session.execute(text("SELECT value FROM counters")).scalar_one())


def set_to(session: Session, value: int) -> str:
    session.execute(text("UPDATE counters SET value = :value"), {"value": value})
    return f"set to {value}"


def increment(session: Session) -> None:
    set_to(session, value_of(session) + 1)


def begin_to_read(session: Session) -> Result[int]:
    """A result of which nothing is read, and that its reader keeps."""
    return session.execute(text("SELECT value FROM counters UNION ALL SELECT 1"))


async def test_what_nobody_reads_to_its_end_holds_up_no_write(database: Database) -> None:
    for connection in [database.engine.connect() for _ in range(CONNECTIONS)]:
        connection.close()
    held = [await database.read(begin_to_read) for _ in range(2 * CONNECTIONS)]
    for _ in range(2 * CONNECTIONS):
        held.append(await database.write(begin_to_read))
        await database.write(increment)
    assert await count(database) == len(held) - 2 * CONNECTIONS


async def test_every_connection_of_the_pool_has_the_pragmas(database: Database) -> None:
    connections = [database.engine.connect() for _ in range(CONNECTIONS)]
    try:
        for connection in connections:
            readable = connection.execution_options(**{READ_ONLY: True})
            found = {
                pragma: readable.execute(text(f"PRAGMA {pragma}")).scalar() for pragma in PRAGMAS
            }
            assert found == PRAGMAS
    finally:
        for connection in connections:
            connection.close()


async def test_the_file_lies_at_the_path_and_is_private(database: Database, path: Path) -> None:
    assert permissions(path) == 0o600
    assert {file.name.removeprefix(path.name) for file in path.parent.iterdir()} == {
        "",
        "-wal",
        "-shm",
    }


async def test_a_write_commits_and_returns_what_the_function_does(database: Database) -> None:
    assert await database.write(set_to, 7) == "set to 7"
    assert await count(database) == 7


async def test_a_failed_write_leaves_nothing(database: Database) -> None:
    def fail(session: Session) -> None:
        set_to(session, 7)
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(fail)
    assert await count(database) == 0


async def test_a_read_sees_only_what_is_committed(database: Database) -> None:
    with database.writing() as session:
        set_to(session, 7)
        assert await count(database) == 0


async def test_a_read_cannot_change_the_file(database: Database) -> None:
    await database.read(set_to, 7)
    assert await count(database) == 0


async def test_writers_of_one_process_take_turns(database: Database) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(25):
            group.create_task(database.write(increment))
    assert await count(database) == 25


async def test_a_read_does_not_wait_for_a_write(database: Database) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def write_slowly(session: Session) -> None:
        set_to(session, 7)
        begun.set()
        may_end.wait()

    writes = asyncio.create_task(database.write(write_slowly))
    await asyncio.to_thread(begun.wait)
    assert await count(database) == 0
    may_end.set()
    await writes
    assert await count(database) == 7


async def test_a_write_cancelled_while_it_runs_is_whole_and_its_result_is_told(
    database: Database,
) -> None:
    begun, may_end, told = threading.Event(), threading.Event(), list[str]()

    def write_slowly(session: Session) -> str:
        begun.set()
        may_end.wait()
        return set_to(session, 7)

    async def work() -> None:
        told.append(await database.write(write_slowly))
        await asyncio.sleep(0)
        told.append("too far")

    task = asyncio.create_task(work())
    await asyncio.to_thread(begun.wait)
    task.cancel()
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == ["set to 7"]
    assert await count(database) == 7


async def test_a_write_cancelled_while_another_is_made_is_made_all_the_same(
    database: Database,
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hold(session: Session) -> None:
        begun.set()
        may_end.wait()

    holder = asyncio.create_task(database.write(hold))
    await asyncio.to_thread(begun.wait)
    waiting = asyncio.create_task(database.write(set_to, 7))
    await asyncio.sleep(0)
    waiting.cancel()
    may_end.set()
    await holder
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await count(database) == 7


async def test_nobody_who_is_cancelled_waits_for_a_read(database: Database) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def read_slowly(session: Session) -> None:
        begun.set()
        may_end.wait()

    reads = asyncio.create_task(database.read(read_slowly))
    await asyncio.to_thread(begun.wait)
    reads.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reads
    may_end.set()


async def test_a_log_line_of_a_transaction_names_the_turn(database: Database) -> None:
    present = ContextVar("present", default="nothing")
    present.set("a turn")
    assert await database.read(lambda _: present.get()) == "a turn"


async def test_a_failed_statement_does_not_show_the_values_it_was_given(
    database: Database,
) -> None:
    def add(session: Session) -> None:
        session.execute(text("INSERT INTO parents VALUES (1, :note)"), {"note": "a private note"})

    await database.write(add)
    with pytest.raises(IntegrityError) as caught:
        await database.write(add)
    assert "a private note" not in str(caught.value)


async def test_foreign_keys_hold_and_are_not_blamed_on_the_file(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.execute(text("INSERT INTO children VALUES (1)"))


async def test_a_lock_of_another_process_is_waited_for_and_then_named(
    database: Database, path: Path
) -> None:
    impatient = SqliteDatabase(path, busy_seconds=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with (
            pytest.raises(StoreError, match=r"stayed locked by another process") as caught,
            impatient.writing() as session,
        ):
            session.execute(text("UPDATE counters SET value = 7"))
        assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
        assert str(path) in str(caught.value)
        assert await count(impatient) == 0
    finally:
        other.close()
        await impatient.close()


async def test_deleted_text_is_in_no_file_after_a_checkpoint(
    database: Database, path: Path
) -> None:
    secret = b"the-cake-is-in-the-cellar"
    with database.writing() as session:
        session.execute(text("INSERT INTO parents VALUES (1, :note)"), {"note": secret.decode()})
    assert any(secret in file.read_bytes() for file in path.parent.iterdir())

    with database.writing() as session:
        session.execute(text("DELETE FROM parents"))
    assert await database.checkpoint()

    assert not any(secret in file.read_bytes() for file in path.parent.iterdir())


async def test_copies_of_what_was_moved_and_then_deleted_go_when_the_file_is_rewritten(
    database: Database, path: Path
) -> None:
    secret, chance = b"cake...", random.Random(1)
    numbers = chance.sample(range(1000), k=1000)
    with database.writing() as session:
        for number in numbers:
            note = ("cake..." if number % 10 == 0 else "pie....") * chance.randrange(3, 60)
            values = {"id": number, "note": note}
            session.execute(text("INSERT INTO parents VALUES (:id, :note)"), values)
    with database.writing() as session:
        session.execute(text("DELETE FROM parents WHERE id % 10 = 0"))
    assert await database.checkpoint()
    assert any(secret in file.read_bytes() for file in path.parent.iterdir())
    with database.reading() as reader:
        assert reader.execute(text("SELECT count(*) FROM parents")).scalar_one() == 900
        await database.rewrite()
        assert reader.execute(text("SELECT count(*) FROM parents")).scalar_one() == 900
    assert await database.checkpoint()
    assert not any(secret in file.read_bytes() for file in path.parent.iterdir())
    with database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM parents")).scalar_one() == 900


async def test_a_checkpoint_says_when_a_reader_elsewhere_prevents_it(
    database: Database, path: Path
) -> None:
    impatient = SqliteDatabase(path, busy_seconds=0.01)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM counters").fetchall()
    try:
        with impatient.writing() as session:
            session.execute(text("UPDATE counters SET value = 7"))
        assert not await impatient.checkpoint()
        reader.execute("ROLLBACK")
        assert await impatient.checkpoint()
    finally:
        reader.close()
        await impatient.close()


async def test_closing_leaves_one_file_with_everything_in_it(path: Path) -> None:
    database = SqliteDatabase(path)
    with database.writing() as session:
        session.execute(text("CREATE TABLE counters (value INTEGER)"))
        session.execute(text("INSERT INTO counters VALUES (3)"))
    await database.close()

    assert [file.name for file in path.parent.iterdir()] == [path.name]
    reopened = SqliteDatabase(path)
    assert await count(reopened) == 3
    await reopened.close()


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/gaia\.db.*check that its folder exists"):
        SqliteDatabase(tmp_path / "nowhere" / "gaia.db")
