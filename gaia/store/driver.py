"""The driver's connection to a SQLite file, made fit for tasks that are cancelled.

A statement runs in the connection's thread and cannot be called back. Were the
task that awaits it cancelled meanwhile, SQLAlchemy would give the connection up
with its transaction open, and the file would stay locked, or a commit would
land that nobody waits for any more.

What goes to the thread and comes back costs more than most statements do, and
SQLAlchemy would send each there four times. A `Cursor` does it once.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import aiosqlite

T = TypeVar("T")

Row = tuple[object, ...]

CHUNK_ROWS = 64
"""Of an aiosqlite cursor that is iterated, which none is; its own default."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a statement came to. Writing statements without RETURNING have no description."""

    description: Sequence[Row] | None = None
    rows: Sequence[Row] = ()
    rowcount: int = -1
    lastrowid: int | None = None


class Cursor:
    """A cursor of DB-API that goes to the connection's thread once a statement: all rows are
    fetched there, and what SQLite holds for the statement is let go of."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._done = Done()
        self._rows: deque[Row] = deque()

    async def __aenter__(self) -> Cursor:
        return self

    async def execute(self, sql: str, parameters: Sequence[object] = ()) -> None:
        await self._do(partial(_execute, sql=sql, parameters=parameters))

    async def executemany(self, sql: str, parameters: Iterable[Sequence[object]]) -> None:
        await self._do(partial(_execute_many, sql=sql, parameters=parameters))

    async def fetchall(self) -> Sequence[Row]:
        rows = tuple(self._rows)
        self._rows.clear()
        return rows

    async def close(self) -> None:
        self._rows.clear()

    @property
    def description(self) -> Sequence[Row] | None:
        return self._done.description

    @property
    def rowcount(self) -> int:
        return self._done.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._done.lastrowid

    async def _do(self, work: Callable[[sqlite3.Cursor], Done]) -> None:
        self._done = await self._connection.with_cursor(work)
        self._rows = deque(self._done.rows)


class Connection(aiosqlite.Connection):
    """A connection whose opening, statements and closing run to their end.

    A cancellation that arrives during one reaches the task at its next await
    of anything else: transactions that need nothing else are committed whole.
    So a block of `asyncio.timeout` must not end with a statement.
    """

    def __init__(self, path: str, *, busy_seconds: float) -> None:
        super().__init__(
            partial(sqlite3.connect, path, timeout=busy_seconds, isolation_level=None), CHUNK_ROWS
        )
        # A statement that hangs must not keep the process from ending.
        self._thread.daemon = True

    async def _connect(self) -> Connection:
        await _to_its_end(super()._connect())
        return self

    def cursor(self) -> Cursor:  # type: ignore[override]
        return Cursor(self)

    async def with_cursor(self, work: Callable[[sqlite3.Cursor], T]) -> T:
        """What `work` makes of a cursor of SQLite's, in the connection's thread."""
        return await self._execute(_with_cursor, self._conn, work)

    async def _execute(self, fn: Callable[..., T], *args: object, **kwargs: object) -> T:
        execution = super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]
        return await _to_its_end(execution)

    async def close(self) -> None:
        await _to_its_end(super().close())


def _with_cursor(connection: sqlite3.Connection, work: Callable[[sqlite3.Cursor], T]) -> T:
    with closing(connection.cursor()) as cursor:
        return work(cursor)


def _execute(cursor: sqlite3.Cursor, *, sql: str, parameters: Sequence[object]) -> Done:
    cursor.execute(sql, parameters)
    return _done(cursor)


def _execute_many(
    cursor: sqlite3.Cursor, *, sql: str, parameters: Iterable[Sequence[object]]
) -> Done:
    cursor.executemany(sql, parameters)
    return _done(cursor)


def _done(cursor: sqlite3.Cursor) -> Done:
    rows = cursor.fetchall() if cursor.description else ()
    return Done(cursor.description, rows, cursor.rowcount, cursor.lastrowid)


async def _to_its_end(work: Coroutine[object, object, T]) -> T:
    """What `work` returns; a cancellation meanwhile is put off until it has ended."""
    task: asyncio.Task[T] = asyncio.create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and (waiting := asyncio.current_task()):
        # Asks again, without counting as a second request.
        waiting.uncancel()
        waiting.cancel()
    return task.result()
