"""Connections: a cancelled task leaves neither a lock nor half a transaction behind."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from gaia.store.engine import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    database = Database(path, busy_seconds=2)
    async with database.write() as session:
        await session.execute(text("CREATE TABLE notes (note TEXT UNIQUE)"))
    yield database
    await database.close()


async def write(database: Database, note: str) -> None:
    async with database.write() as session:
        await session.execute(text("INSERT INTO notes VALUES (:note)"), {"note": note})


async def notes(database: Database) -> list[str]:
    async with database.read() as session:
        return list(await session.scalars(text("SELECT note FROM notes")))


async def until_beginning(path: Path, task: asyncio.Task[None]) -> sqlite3.Connection:
    """Hold the file's lock, so that the task's transaction waits for it in its thread."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(200):
        await asyncio.sleep(0)
    assert not task.done()
    return other


async def test_a_cancelled_transaction_is_whole_and_leaves_no_lock(
    database: Database, path: Path
) -> None:
    task = asyncio.create_task(write(database, "first"))
    other = await until_beginning(path, task)
    task.cancel()
    await asyncio.sleep(0)
    other.close()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The task, and with it the traceback that holds the cursor, is still there.
    await write(database, "second")
    assert await notes(database) == ["first", "second"]


async def test_a_cancellation_is_delivered_once_the_statement_has_ended(
    database: Database,
) -> None:
    reached: list[str] = []

    async def work() -> None:
        async with database.write() as session:
            running = asyncio.current_task()
            assert running is not None
            asyncio.get_running_loop().call_soon(running.cancel)
            await session.execute(text("INSERT INTO notes VALUES ('half')"))
            reached.append("after the statement")
            await asyncio.sleep(0)
            reached.append("too far")

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reached == ["after the statement"]
    assert await notes(database) == []


async def test_a_cancellation_while_the_file_is_opened_waits_for_its_thread(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop that ended before the thread would leave it, and the open file, to nobody."""
    opening, may_open = threading.Event(), threading.Event()
    connect = sqlite3.connect

    def slow_connect(*args: object, **kwargs: object) -> sqlite3.Connection:
        opening.set()
        may_open.wait()
        return connect(*args, **kwargs)  # type: ignore[call-overload,no-any-return]

    async with database.read() as session:
        await session.execute(text("SELECT 1"))  # by the only connection so far
        monkeypatch.setattr(sqlite3, "connect", slow_connect)
        task = asyncio.create_task(notes(database))
        await asyncio.to_thread(opening.wait)
        task.cancel()
        for _ in range(20):
            await asyncio.sleep(0)
        ended_before_its_thread = task.done()
        may_open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert not ended_before_its_thread


async def test_a_failed_statement_does_not_show_the_values_it_was_given(
    database: Database,
) -> None:
    await write(database, "a private note")
    with pytest.raises(IntegrityError) as caught:
        await write(database, "a private note")
    assert "a private note" not in str(caught.value)
