"""gaia.db as a SQLite file: the database that needs nothing else.

What its faults mean is told by `faults`, which tables it holds by `opener` and `migrate`.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, create_engine, event, text

from gaia.errors import StoreError
from gaia.files import create, database_uri
from gaia.store.engine import CONNECTIONS, Database
from gaia.store.sqlite.faults import translate_failures
from gaia.store.sqlite.presence import OpenDatabase, save_copy

BUSY_SECONDS = 10
"""How long a write waits for another process's write before it fails."""

CHECKPOINT_MILLISECONDS = 500
"""How long a checkpoint waits for readers."""

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


class SqliteDatabase(Database):
    """One SQLite file: several readers, one writer at a time.

    Raises `StoreError` wherever the file, and not the statement, is at fault.
    """

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        engine = open_engine(path, busy_seconds=busy_seconds)
        super().__init__(engine, path.name, **{READ_ONLY: True})
        self._path = path
        self.require(OpenDatabase(engine, path).problem)

    async def save_copy(self, folder: Path, now: datetime) -> Path:
        """Copy what is open, though it may have no name any more, into `folder`.

        Raises:
            StoreError: It cannot be written.
        """
        return await self.write_apart(partial(self._save_copy, folder, now))

    async def checkpoint(self) -> bool:
        """Move the WAL's content into the file and empty the WAL.

        Returns whether it was emptied: a reader in another process can prevent it. That
        one is not waited for as long as a writer is, since all writes wait meanwhile.
        """
        return await self.write_apart(self._checkpoint)

    async def rewrite(self) -> bool:
        """Write the whole file again, into the WAL, so that nothing deleted is left in it.

        What `secure_delete` overwrites is the deleted row itself. When SQLite had moved
        the row from one page to another before, its first place may still hold a copy.
        All writes wait meanwhile, for about a second a hundred megabytes; reads do not.
        """
        await self.write_apart(self._rewrite)
        return True

    def _save_copy(self, folder: Path, now: datetime) -> Path:
        with self._outside() as connection:
            driver = connection.connection.driver_connection
            if not isinstance(driver, sqlite3.Connection):
                raise TypeError(f"{self._path.name} has no connection of SQLite's")
            return save_copy(driver, folder, self._path.stem, now)

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
        # No connection makes the file anew, where somebody has removed it meanwhile.
        URL.create("sqlite", database=database_uri(path, "rw"), query={"uri": "true"}),
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


def create_private(path: Path) -> None:
    """SQLite would create the file readable by whoever may enter its folder."""
    try:
        create(path)
    except OSError as exc:
        raise StoreError(
            f"{str(path)!r} cannot be opened ({exc.strerror}): check that its folder exists "
            "and that this user may write to both"
        ) from exc


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
