"""Connections: a cancelled task leaves neither a lock nor half a transaction behind."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import CursorResult, text
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


async def test_a_statement_goes_to_the_connections_thread_once_with_all_its_rows(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    for note in ("first", "second"):
        await write(database, note)
    async with database.read() as session:
        await session.execute(text("SELECT 1"))
        with caplog.at_level(logging.DEBUG, logger="aiosqlite"):
            found = await session.execute(text("SELECT note, length(note) AS size FROM notes"))
        sent = [each for each in caplog.messages if each.startswith("executing")]
        assert len(sent) == 1
        assert [(row.note, row.size) for row in found] == [("first", 5), ("second", 6)]


async def test_many_rows_are_written_and_counted_and_new_ones_returned(
    database: Database,
) -> None:
    async with database.write() as session:
        many = [{"note": f"note {number}"} for number in range(100)]
        await session.execute(text("INSERT INTO notes VALUES (:note)"), many)
        changed = await session.execute(text("UPDATE notes SET note = note || '!'"))
        assert isinstance(changed, CursorResult)
        assert changed.rowcount == 100
        new = text("INSERT INTO notes VALUES ('new') RETURNING note, rowid")
        assert (await session.execute(new)).one() == ("new", 101)
    assert len(await notes(database)) == 101
