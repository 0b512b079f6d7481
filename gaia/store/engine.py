"""The engine of a SQLite file, and `Database`: short transactions on it.

A transaction is a plain function of a session, and runs as a whole in a thread. It cannot
wait for a network, and there is nothing in it at which a cancellation could split it. Sent
to its thread once, instead of once a statement, it takes less than half the time.

What SQLite says when a file cannot be used is put in words that help its owner. Only faults of
the file, the disk or another process are translated: a broken constraint or a wrong statement
is the caller's, and stays what it is. Which tables a file holds is told elsewhere, by `opening`
and `migrate`.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event, text
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.files import create
from gaia.threads import DaemonThreadPool

P = ParamSpec("P")
T = TypeVar("T")

BUSY_SECONDS = 10
"""How long a write waits for another process's write before it fails."""

CHECKPOINT_MILLISECONDS = 500
"""How long a checkpoint waits for readers."""

READERS = 3
"""Threads, each with a connection, that read beside the one that writes."""

CONNECTIONS = READERS + 1

READ_ONLY = "read_only"
"""The execution option under which a transaction begins without the write lock."""

NO_TRANSACTION = "no_transaction"
"""The execution option for the few statements that refuse to run inside one."""

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
    f"PRAGMA journal_size_limit = {16 * 1024 * 1024}",
)

DAMAGED = (
    "is damaged ({detail}) and was left untouched: move it away together with its '-wal' file, "
    "if it has one, then put back a copy (see the folder 'backups' beside it) or start anew"
)
NOT_WRITABLE = (
    "cannot be written ({detail}): make the file and its folder writable by this user, "
    "and check that the disk is not mounted read-only"
)

FULL_BYTES = 64 * 1024
"""Less free space than SQLite needs for a WAL and its index."""

REMEDIES: Mapping[int, str] = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: "cannot be written, the disk is full: free some space and try again",
        sqlite3.SQLITE_CORRUPT: DAMAGED,
        sqlite3.SQLITE_NOTADB: DAMAGED,
        sqlite3.SQLITE_READONLY: NOT_WRITABLE,
        sqlite3.SQLITE_PERM: NOT_WRITABLE,
        sqlite3.SQLITE_CANTOPEN: (
            "cannot be opened ({detail}): check that its folder exists and is writable, "
            "and that the disk is not full"
        ),
        sqlite3.SQLITE_BUSY: (
            "stayed locked by another process ({detail}): end the program that holds it, "
            "then try again"
        ),
        sqlite3.SQLITE_LOCKED: (
            "stayed locked by another connection ({detail}): try again, and restart gaia "
            "if that does not help"
        ),
        sqlite3.SQLITE_IOERR: (
            "cannot be read or written ({detail}): check the disk and its free space"
        ),
    }
)
"""By primary result code, https://www.sqlite.org/rescode.html."""


class Database:
    """One SQLite file: several readers, one writer at a time.

    Raises `StoreError` wherever the file, and not the statement, is at fault.
    """

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.engine = open_engine(path, busy_seconds=busy_seconds)
        self._reading_engine = self.engine.execution_options(**{READ_ONLY: True})
        self._readers = DaemonThreadPool(f"read {path.name}", threads=READERS)
        self._writer = DaemonThreadPool(f"write {path.name}")

    async def read(
        self, function: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `function` makes of a consistent view of the file.

        What it writes is rolled back.
        """
        call = partial(self._read, lambda session: function(session, *args, **kwargs))
        return await self._readers.run(call)

    async def write(
        self, function: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `function` returns, in one short transaction: it commits when `function`
        returns, and rolls back when it raises.

        The write lock of the file is held from its first statement on, so that what it reads
        cannot have changed when it commits. Whoever is cancelled meanwhile gets what it
        returned, and the cancellation at the next `await`.
        """
        call = partial(self._write, lambda session: function(session, *args, **kwargs))
        return await _to_its_end(self._writer.submit(call))

    async def checkpoint(self) -> bool:
        """Move the WAL's content into the file and empty the WAL.

        Returns whether it was emptied: a reader in another process can prevent it. That
        one is not waited for as long as a writer is, since all writes wait meanwhile.
        """
        return await _to_its_end(self._writer.submit(self._checkpoint))

    async def rewrite(self) -> None:
        """Write the whole file again, into the WAL, so that nothing deleted is left in it.

        What `secure_delete` overwrites is the deleted row itself. When SQLite had moved
        the row from one page to another before, its first place may still hold a copy.
        All writes wait meanwhile, for about a second a hundred megabytes; reads do not.
        """
        await _to_its_end(self._writer.submit(self._rewrite))

    async def close(self) -> None:
        """Close all connections. The last one of all processes empties the WAL."""
        await asyncio.to_thread(self._close)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session of a read, in the caller's thread, which it blocks."""
        with Session(self._reading_engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session of a write, in the caller's thread, which it blocks."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def _read(self, function: Callable[[Session], T]) -> T:
        with self.reading() as session:
            return function(session)

    def _write(self, function: Callable[[Session], T]) -> T:
        with self.writing() as session:
            return function(session)

    def _checkpoint(self) -> bool:
        with self._outside() as connection:
            (patience,) = connection.execute(text("PRAGMA busy_timeout")).one()
            shorter = min(patience, CHECKPOINT_MILLISECONDS)
            connection.execute(text(f"PRAGMA busy_timeout = {shorter}"))
            try:
                busy, _, _ = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()
            finally:
                connection.execute(text(f"PRAGMA busy_timeout = {patience}"))
        return not busy

    def _rewrite(self) -> None:
        with self._outside() as connection:
            connection.execute(text("VACUUM"))

    def _close(self) -> None:
        self._readers.join()
        self._writer.join()
        self.engine.dispose()

    def _outside(self) -> Connection:
        """A connection without a transaction."""
        return self.engine.execution_options(**{NO_TRANSACTION: True}).connect()


def open_engine(
    path: Path,
    *,
    connections: int = CONNECTIONS,
    foreign_keys: bool = True,
    busy_seconds: float = BUSY_SECONDS,
) -> Engine:
    """The engine of a SQLite file, which is created, private to the user, if missing.

    Transactions begin IMMEDIATE unless the option `READ_ONLY` is set: one that
    began as a read cannot turn into a write when another writer came between,
    and SQLite then fails without waiting. Faults of the file raise `StoreError`.
    """
    create_private(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=connections,
        max_overflow=0,
        hide_parameters=True,
        connect_args={
            "factory": _DriverConnection,
            "timeout": busy_seconds,
            "isolation_level": None,
            "check_same_thread": False,
        },
    )
    prepare_engine(engine, path, foreign_keys=foreign_keys)
    return engine


def prepare_engine(engine: Engine, path: Path, *, foreign_keys: bool) -> None:
    """Set what each connection to a file of gaia's has, and how its transactions begin."""
    pragmas = (*PRAGMAS, f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    def set_pragmas(connection: sqlite3.Connection, record: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    event.listen(engine, "connect", set_pragmas)
    event.listen(engine, "begin", _begin)
    translate_failures(engine, path)


def translate_failures(engine: Engine, path: Path) -> None:
    """Make faults of the file at `path` raise `StoreError`, with SQLite's own as its cause."""

    def translate(context: ExceptionContext) -> BaseException | None:
        return store_error(path, context.original_exception)

    event.listen(engine, "handle_error", translate)


def create_private(path: Path) -> None:
    """SQLite would create the file readable by whoever may enter its folder."""
    try:
        create(path)
    except OSError as exc:
        raise StoreError(
            f"{str(path)!r} cannot be opened ({exc.strerror}): check that its folder exists "
            "and that this user may write to both"
        ) from exc


def damaged(path: Path, detail: str) -> str:
    """The message for a file that SQLite's own check calls damaged."""
    return f"{str(path)!r} {DAMAGED.format(detail=detail)}"


def store_error(path: Path, exc: BaseException) -> StoreError | None:
    """The `StoreError` that tells of `exc`, or None when `exc` is not about the file."""
    if not isinstance(exc, sqlite3.Error):
        return None
    primary_code = getattr(exc, "sqlite_errorcode", 0) & 0xFF
    if primary_code == sqlite3.SQLITE_IOERR and _is_disk_full(path):
        primary_code = sqlite3.SQLITE_FULL
    remedy = REMEDIES.get(primary_code)
    return StoreError(f"{str(path)!r} {remedy.format(detail=exc)}") if remedy else None


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(NO_TRANSACTION, False):
        connection.exec_driver_sql("BEGIN" if options.get(READ_ONLY, False) else "BEGIN IMMEDIATE")


class _DriverConnection(sqlite3.Connection):
    """Ends what is being read when its transaction ends. A cursor that nobody has read to
    its end, and that something still holds, would keep its view of the file, and whoever
    gets the connection next could not write: that would be refused at once, as locked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        cursor = super().cursor(*args, **kwargs)
        self._cursors.add(cursor)
        return cursor

    def commit(self) -> None:
        self._end_reads()
        super().commit()

    def rollback(self) -> None:
        self._end_reads()
        super().rollback()

    def _end_reads(self) -> None:
        for cursor in tuple(self._cursors):
            cursor.close()
        self._cursors.clear()


async def _to_its_end(future: Future[T]) -> T:
    """The result of a call, once it has ended: a cancellation meanwhile is put off until
    then, so that what was to be written is, also while others write."""
    ended = asyncio.wrap_future(future)
    cancelled = False
    while not ended.done():
        try:
            await asyncio.wait({ended})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and (waiting := asyncio.current_task()):
        # Asks again, without counting as a second request.
        waiting.uncancel()
        waiting.cancel()
    return ended.result()


def _is_disk_full(path: Path) -> bool:
    """SQLite calls a full disk an I/O error when it cannot grow the WAL's index."""
    try:
        return shutil.disk_usage(path.parent).free < FULL_BYTES
    except OSError:
        return False
