"""The engine of a SQLite file, and `Database`: short reads and writes on it.

Serves gaia.db and sessions.db alike. Which tables a file holds is told
elsewhere: `opening` and `migrate` for gaia.db, ADK for sessions.db.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from sqlalchemy import URL, Connection, ExceptionContext, event, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from gaia.errors import StoreError
from gaia.store import driver
from gaia.store.failures import store_error

BUSY_SECONDS = 10
"""How long a write waits for another process's write before it fails."""

CHECKPOINT_MILLISECONDS = 500
"""How long a checkpoint waits for readers."""

CONNECTIONS = 4
"""Connections, and so threads, a file: one writes, the others read beside it."""

READ_ONLY = "read_only"
"""The execution option under which a transaction begins without the write lock.
ADK's session service sets it on its reads as well."""

NO_TRANSACTION = "no_transaction"
"""The execution option for the few statements that refuse to run inside one."""

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
    f"PRAGMA journal_size_limit = {16 * 1024 * 1024}",
)


class Database:
    """One SQLite file: many readers, one writer at a time.

    `engine` is for libraries that bring their own statements. Raises
    `StoreError` wherever the file, and not the statement, is at fault.
    """

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.engine = open_engine(path, busy_seconds=busy_seconds)
        self._reading_engine = self.engine.execution_options(**{READ_ONLY: True})
        self._one_writer = asyncio.Lock()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A consistent view of the file. What is written through it is rolled back."""
        async with AsyncSession(self._reading_engine, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """One short transaction: commits on exit, rolls back on an exception.

        It holds the write lock of the file from its first statement on, so
        that what it read cannot have changed when it commits. Never await a
        network or a model inside, and never nest.
        """
        async with (
            self._one_writer,
            AsyncSession(self.engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    async def checkpoint(self) -> bool:
        """Move the WAL's content into the file and empty the WAL.

        Returns whether it was emptied: a reader in another process can prevent it. That
        one is not waited for as long as a writer is, since all writes wait meanwhile.
        """
        outside = self.engine.execution_options(**{NO_TRANSACTION: True})
        async with self._one_writer, outside.connect() as connection:
            (patience,) = (await connection.execute(text("PRAGMA busy_timeout"))).one()
            shorter = min(patience, CHECKPOINT_MILLISECONDS)
            await connection.execute(text(f"PRAGMA busy_timeout = {shorter}"))
            try:
                result = await connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
                busy, _, _ = result.one()
            finally:
                await connection.execute(text(f"PRAGMA busy_timeout = {patience}"))
        return not busy

    async def rewrite(self) -> None:
        """Write the whole file anew, into the WAL, so that nothing deleted is left in it.

        What `secure_delete` overwrites is the deleted row itself. When SQLite had moved
        the row from one page to another before, its first place may still hold a copy.
        All writes wait meanwhile, for about a second a hundred megabytes; reads do not.
        """
        outside = self.engine.execution_options(**{NO_TRANSACTION: True})
        async with self._one_writer, outside.connect() as connection:
            await connection.execute(text("VACUUM"))

    async def close(self) -> None:
        """Close all connections. The last one of all processes empties the WAL."""
        await self.engine.dispose()


def open_engine(
    path: Path,
    *,
    connections: int = CONNECTIONS,
    foreign_keys: bool = True,
    busy_seconds: float = BUSY_SECONDS,
) -> AsyncEngine:
    """The engine of a SQLite file, which is created, private to the user, if missing.

    Transactions begin IMMEDIATE unless the option `READ_ONLY` is set: one that
    began as a read cannot turn into a write when another writer came between,
    and SQLite then fails without waiting. Faults of the file raise `StoreError`.
    """
    _create_private(path)
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        pool_size=connections,
        max_overflow=0,
        hide_parameters=True,
        connect_args={"async_creator_fn": partial(_connect, busy_seconds=busy_seconds)},
    )
    pragmas = (*PRAGMAS, f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    def set_pragmas(connection: _DriverConnection, record: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    event.listen(engine.sync_engine, "connect", set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin)
    translate_failures(engine, path)
    return engine


def translate_failures(engine: AsyncEngine, path: Path) -> None:
    """Make faults of the file at `path` raise `StoreError`, with SQLite's own as its cause."""

    def translate(context: ExceptionContext) -> BaseException | None:
        return store_error(path, context.original_exception)

    event.listen(engine.sync_engine, "handle_error", translate)


def _connect(path: str, *, busy_seconds: float, **_: object) -> driver.Connection:
    return driver.Connection(path, busy_seconds=busy_seconds)


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(NO_TRANSACTION, False):
        connection.exec_driver_sql("BEGIN" if options.get(READ_ONLY, False) else "BEGIN IMMEDIATE")


def _create_private(path: Path) -> None:
    """SQLite would create the file readable by whoever may enter its folder."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as exc:
        raise StoreError(
            f"{str(path)!r} cannot be opened ({exc.strerror}): check that its folder exists "
            "and that this user may write to both"
        ) from exc


class _DriverCursor(Protocol):
    def execute(self, statement: str) -> object: ...
    def close(self) -> None: ...


class _DriverConnection(Protocol):
    def cursor(self) -> _DriverCursor: ...
