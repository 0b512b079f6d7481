"""`Database`: pragmas, transactions, and what happens when they are disturbed."""

import asyncio
import random
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from gaia.errors import StoreError
from gaia.store.engine import CONNECTIONS, READ_ONLY, Database

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
    database = Database(path)
    async with database.write() as session:
        await session.execute(text("CREATE TABLE parents (id INTEGER PRIMARY KEY, note TEXT)"))
        await session.execute(text("CREATE TABLE children (parent REFERENCES parents (id))"))
        await session.execute(text("CREATE TABLE counters (value INTEGER)"))
        await session.execute(text("INSERT INTO counters VALUES (0)"))
    yield database
    await database.close()


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def count(database: Database) -> int:
    async with database.read() as session:
        return int((await session.execute(text("SELECT value FROM counters"))).scalar_one())


async def test_every_connection_of_the_pool_has_the_pragmas(database: Database) -> None:
    connections = [await database.engine.connect() for _ in range(CONNECTIONS)]
    try:
        for connection in connections:
            readable = await connection.execution_options(**{READ_ONLY: True})
            found = {
                pragma: (await readable.execute(text(f"PRAGMA {pragma}"))).scalar()
                for pragma in PRAGMAS
            }
            assert found == PRAGMAS
    finally:
        for connection in connections:
            await connection.close()


async def test_the_file_lies_at_the_path_and_is_private(database: Database, path: Path) -> None:
    assert permissions(path) == 0o600
    assert {file.name.removeprefix(path.name) for file in path.parent.iterdir()} == {
        "",
        "-wal",
        "-shm",
    }


async def test_a_write_commits_on_exit(database: Database) -> None:
    async with database.write() as session:
        await session.execute(text("UPDATE counters SET value = 7"))
    assert await count(database) == 7


async def test_a_failed_write_leaves_nothing(database: Database) -> None:
    async def fail() -> None:
        async with database.write() as session:
            await session.execute(text("UPDATE counters SET value = 7"))
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert await count(database) == 0


async def test_a_read_sees_only_what_is_committed(database: Database) -> None:
    async with database.write() as session:
        await session.execute(text("UPDATE counters SET value = 7"))
        assert await count(database) == 0


async def test_a_read_cannot_change_the_file(database: Database) -> None:
    async with database.read() as session:
        await session.execute(text("UPDATE counters SET value = 7"))
    assert await count(database) == 0


async def test_writers_of_one_process_take_turns(database: Database) -> None:
    async def increment() -> None:
        async with database.write() as session:
            value = (await session.execute(text("SELECT value FROM counters"))).scalar_one()
            await session.execute(text("UPDATE counters SET value = :next"), {"next": value + 1})

    async with asyncio.TaskGroup() as group:
        for _ in range(25):
            group.create_task(increment())
    assert await count(database) == 25


async def test_a_cancelled_write_leaves_nothing_and_frees_the_lock(database: Database) -> None:
    written = asyncio.Event()

    async def write_and_wait() -> None:
        async with database.write() as session:
            await session.execute(text("UPDATE counters SET value = 7"))
            written.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write_and_wait())
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async with database.write() as session:
        await session.execute(text("UPDATE counters SET value = value + 1"))
    assert await count(database) == 1


async def test_a_write_cancelled_inside_a_statement_frees_its_connection(
    database: Database,
) -> None:
    slow = text(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
        "UPDATE counters SET value = (SELECT count(*) FROM n)"
    )
    begun = asyncio.Event()

    async def write() -> None:
        async with database.write() as session:
            begun.set()
            await session.execute(slow)
            await asyncio.Event().wait()

    for _ in range(CONNECTIONS + 1):
        begun.clear()
        task = asyncio.create_task(write())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async with database.write() as session:
        await session.execute(text("UPDATE counters SET value = value + 1"))
    assert await count(database) == 1


async def test_foreign_keys_hold_and_are_not_blamed_on_the_file(database: Database) -> None:
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await session.execute(text("INSERT INTO children VALUES (1)"))


async def test_a_lock_of_another_process_is_waited_for_and_then_named(
    database: Database, path: Path
) -> None:
    impatient = Database(path, busy_seconds=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StoreError, match=r"stayed locked by another process") as caught:
            async with impatient.write() as session:
                await session.execute(text("UPDATE counters SET value = 7"))
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
    async with database.write() as session:
        await session.execute(
            text("INSERT INTO parents VALUES (1, :note)"), {"note": secret.decode()}
        )
    assert any(secret in file.read_bytes() for file in path.parent.iterdir())

    async with database.write() as session:
        await session.execute(text("DELETE FROM parents"))
    assert await database.checkpoint()

    assert not any(secret in file.read_bytes() for file in path.parent.iterdir())


async def test_copies_of_what_was_moved_and_then_deleted_go_when_the_file_is_rewritten(
    database: Database, path: Path
) -> None:
    secret, chance = b"cake...", random.Random(1)
    numbers = chance.sample(range(1000), k=1000)
    async with database.write() as session:
        for number in numbers:
            note = ("cake..." if number % 10 == 0 else "pie....") * chance.randrange(3, 60)
            values = {"id": number, "note": note}
            await session.execute(text("INSERT INTO parents VALUES (:id, :note)"), values)
    async with database.write() as session:
        await session.execute(text("DELETE FROM parents WHERE id % 10 = 0"))
    assert await database.checkpoint()
    assert any(secret in file.read_bytes() for file in path.parent.iterdir())
    async with database.read() as reader:
        assert (await reader.execute(text("SELECT count(*) FROM parents"))).scalar_one() == 900
        await database.rewrite()
        assert (await reader.execute(text("SELECT count(*) FROM parents"))).scalar_one() == 900
    assert await database.checkpoint()
    assert not any(secret in file.read_bytes() for file in path.parent.iterdir())
    async with database.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM parents"))).scalar_one() == 900


async def test_a_checkpoint_says_when_a_reader_elsewhere_prevents_it(
    database: Database, path: Path
) -> None:
    impatient = Database(path, busy_seconds=0.01)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM counters").fetchall()
    try:
        async with impatient.write() as session:
            await session.execute(text("UPDATE counters SET value = 7"))
        assert not await impatient.checkpoint()
        reader.execute("ROLLBACK")
        assert await impatient.checkpoint()
    finally:
        reader.close()
        await impatient.close()


async def test_closing_leaves_one_file_with_everything_in_it(path: Path) -> None:
    database = Database(path)
    async with database.write() as session:
        await session.execute(text("CREATE TABLE counters (value INTEGER)"))
        await session.execute(text("INSERT INTO counters VALUES (3)"))
    await database.close()

    assert [file.name for file in path.parent.iterdir()] == [path.name]
    reopened = Database(path)
    assert await count(reopened) == 3
    await reopened.close()


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/gaia\.db.*check that its folder exists"):
        Database(tmp_path / "nowhere" / "gaia.db")
