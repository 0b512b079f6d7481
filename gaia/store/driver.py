"""The driver's connection to a SQLite file, made fit for tasks that are cancelled.

A statement runs in the connection's thread and cannot be called back. Were the
task that awaits it cancelled meanwhile, SQLAlchemy would give the connection up
with its transaction open, and the file would stay locked, or a commit would
land that nobody waits for any more.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TypeVar

import aiosqlite

T = TypeVar("T")

CHUNK_ROWS = 64
"""Rows fetched at a time when a cursor is iterated; aiosqlite's own default."""


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

    async def _execute(self, fn: Callable[..., T], *args: object, **kwargs: object) -> T:
        execution = super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]
        return await _to_its_end(execution)

    async def close(self) -> None:
        await _to_its_end(super().close())


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
