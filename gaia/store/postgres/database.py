"""gaia's tables in a PostgreSQL database, where one machine is not enough.

One write at a time is at work in the whole database: each begins by taking an advisory lock,
which ends with its transaction. So what a write has read cannot have changed when it commits,
as in a SQLite file, whichever process it is of. Reads go on beside it.

A connection that is lost while a transaction commits leaves open whether it did: PostgreSQL is
asked, by the number of the transaction. A server that has started again may have given the
number of one that it lost to another: that one was committed does not tell whose it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Connection, Engine, text
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.store.engine import Database, UnknownOutcomeError
from gaia.store.migrations import HEAD
from gaia.store.postgres.connections import open_engine
from gaia.store.postgres.faults import LostConnectionError, TakenForDeadError, name_of
from gaia.store.postgres.silence import LONG_SECONDS, SILENT_SECONDS
from gaia.store.postgres.table_files import are_views_newer, write_again
from gaia.store.revision import revision_of, table_names

T = TypeVar("T")

WRITE_LOCK = 0x67616961
"""The key of the advisory lock: "gaia"."""

OLDEST = 13
"""The first version of PostgreSQL that has all that gaia asks of it."""

NEW_DATABASE = "createdb -E UTF8 -T template0 --locale=C.UTF-8"

PATIENCE_SECONDS = 2.0
"""How long a table that is to be written again is waited for: whoever comes after waits too."""

OUTCOME_SECONDS = 60.0
"""How long PostgreSQL is asked what became of a transaction: it may be starting again."""
OUTCOME_PAUSE_SECONDS = 0.25

IN_RECOVERY = "in recovery"
"""What a standby says that is not promoted yet: what it has still to read may hold the commit."""

TAKEN_FOR_DEAD = (
    "this gaia gave no sign for a while, and another one has taken over what it did: it ends, "
    "and is to be started again"
)

_FITNESS = text(
    "SELECT current_setting('server_version_num')::int / 10000, pg_encoding_to_char(encoding) "
    "FROM pg_database WHERE datname = current_database()"
)
_LOCK = text("SELECT pg_advisory_xact_lock(:lock)")
_BEGIN_ALONE = text(
    "SELECT pg_current_xact_id()::text, pg_backend_pid(), pg_postmaster_start_time(), "
    "pg_advisory_xact_lock(:lock) IS NOT NULL"
)
_BEGIN_AS_MEMBER = text("SELECT number, process, since, lives FROM begin_write(:lock, :me)")
_LAST_WRITE = text("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
_TABLES_OF_VECTORS = text(
    "SELECT table_name FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND udt_name = 'vector'"
)
_OUTCOME = text(
    f"SELECT CASE WHEN pg_is_in_recovery() THEN '{IN_RECOVERY}' "
    "ELSE pg_xact_status(CAST(:number AS xid8)) END, pg_postmaster_start_time()"
)


@dataclass(frozen=True, slots=True)
class _Write:
    """A transaction that writes: its number, that of its server process, and since when its
    server runs."""

    number: str
    process: int
    server_since: datetime


class PostgresDatabase(Database):
    """A PostgreSQL database: several readers, one writer at a time among all processes.

    Raises `StoreError` wherever the server, and not the statement, is at fault.
    """

    def __init__(self, url: URL, *, silent_seconds: float = SILENT_SECONDS) -> None:
        """After `silent_seconds` without an answer a connection counts as lost."""
        engine = open_engine(url, silent_seconds=silent_seconds)
        super().__init__(engine, name_of(url), isolation_level="REPEATABLE READ")
        self.outcome_seconds = OUTCOME_SECONDS
        self.patience_seconds = PATIENCE_SECONDS
        self._process_id = ""

    def belong_to(self, process_id: str) -> None:
        """Have each write from now on fail unless that process lives; see `processes`."""
        self._process_id = process_id

    @contextmanager
    def writing(self) -> Iterator[Session]:
        self._check_conditions()
        with Session(self.engine, expire_on_commit=False) as session:
            write, is_committing = self._begin(session), False
            try:
                yield session
                self._require_intact(session)
                is_committing = True
                session.commit()
            except LostConnectionError:
                if not is_committing or not self._was_committed(write):
                    raise
        self._check_conditions()

    def _begin(self, session: Session) -> _Write:
        """Take the lock."""
        named: dict[str, object] = {"lock": WRITE_LOCK, "me": self._process_id}
        begin = _BEGIN_AS_MEMBER if self._process_id else _BEGIN_ALONE
        try:
            *begun, lives = session.execute(begin, named).one()
        except LostConnectionError:
            # It was lost while nobody used it. The next one is new.
            session.rollback()
            *begun, lives = session.execute(begin, named).one()
        if not lives:
            raise TakenForDeadError(TAKEN_FOR_DEAD)
        return _Write(*begun)

    def _read(self, function: Callable[[Session], T]) -> T:
        try:
            return super()._read(function)
        except LostConnectionError:
            # As above; what reads can be done again.
            return super()._read(function)

    def _require_intact(self, session: Session) -> None:
        """PostgreSQL takes nothing more of a transaction in which a statement has failed, and
        what asks it to commit is told that all is well."""
        driver = session.connection().connection.driver_connection
        if driver is not None and driver.info.transaction_status is TransactionStatus.INERROR:
            raise StoreError(
                f"{self.name} has kept nothing: a statement failed, and what asked it went on. "
                "The log says which: report this"
            )

    def _was_committed(self, write: _Write) -> bool:
        """Whether a transaction whose connection was lost while it committed did.

        Raises:
            UnknownOutcomeError: Nobody can tell.
        """
        until = time.monotonic() + self.outcome_seconds
        while time.monotonic() < until:
            with suppress(StoreError), _outside(self.engine) as connection:
                status, since = _outcome(connection, write.number)
                if status == "committed" and since != write.server_since:
                    break
                if status == "in progress":
                    # Its server process has not noticed yet that nobody is there any more.
                    process = {"process": write.process}
                    connection.execute(text("SELECT pg_terminate_backend(:process)"), process)
                elif status != IN_RECOVERY:
                    return status == "committed"
            time.sleep(OUTCOME_PAUSE_SECONDS)
        raise UnknownOutcomeError(
            f"{self.name} was lost while it kept something, and cannot tell whether it did: "
            "gaia looks at what is there"
        )

    @property
    def server(self) -> URL | None:
        return self.engine.url

    async def checkpoint(self) -> bool:
        """PostgreSQL looks after its own log."""
        return True

    async def rewrite(self) -> bool:
        """Write all tables that hold words again, so that nothing deleted is left in their
        files; returns whether nothing is. PostgreSQL's own log keeps what it has until it is
        used again.

        Whoever uses a table waits while it is written.
        """
        number = await self.read(lambda session: str(session.execute(_LAST_WRITE).scalar_one()))
        if not await self._readers.run(partial(self._are_views_newer, number)):
            return False
        return await self.write_apart(partial(self._write_again, number))

    def _are_views_newer(self, number: str) -> bool:
        with _outside(self.engine) as connection:
            return are_views_newer(connection, number, self.patience_seconds)

    def _write_again(self, number: str) -> bool:
        engine = open_engine(self.engine.url, connections=1, silent_seconds=LONG_SECONDS)
        try:
            with _outside(engine) as connection:
                # Vectors are numbers, and a search would wait for as long as they are written.
                tables = sorted(table_names(connection) - vector_tables(connection))
                return write_again(connection, tables, number, self.patience_seconds)
        finally:
            engine.dispose()


def bring_up_to_date(url: URL) -> None:
    """Give the database the tables of this version. Idempotent, also across processes. Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it. It is left untouched.
        StoreError: It is not gaia's, its server is too old, has another encoding, or does not
            answer.
    """
    if read_revision_of(url) == HEAD:
        return
    from gaia.store.migrate import upgrade

    engine = open_engine(url, connections=1, silent_seconds=LONG_SECONDS)
    try:
        with engine.begin() as connection:
            connection.execute(_LOCK, {"lock": WRITE_LOCK})
            upgrade(connection)
    finally:
        engine.dispose()


def read_revision_of(url: URL) -> str | None:
    """The revision of a database; None if it has no tables. Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is not gaia's, its server is too old, has another encoding, or does not
            answer.
    """
    with inspecting_url(url) as connection:
        require_fitness(connection, name_of(url))
        return revision_of(connection, name_of(url))


def require_fitness(connection: Connection, name: str) -> int:
    """The version of a server.

    Raises:
        StoreError: It is too old, or its database cannot hold all that people write.
    """
    version, encoding = connection.execute(_FITNESS).one()
    if version < OLDEST:
        raise StoreError(
            f"{name} is of PostgreSQL {version}, which is too old: move it to a server of version "
            f"{OLDEST} or later"
        )
    if encoding != "UTF8":
        raise StoreError(
            f"{name} has the encoding {encoding}, which cannot hold all that people write: make "
            f"it again with {NEW_DATABASE}"
        )
    return int(version)


def vector_tables(connection: Connection) -> Set[str]:
    """The tables that hold vectors, which can be made again from the others."""
    return set(connection.execute(_TABLES_OF_VECTORS).scalars())


def last_write(url: URL) -> str:
    """Another one after each transaction that wrote. Blocks.

    Raises:
        StoreError: The database does not answer.
    """
    with inspecting_url(url) as connection:
        return str(connection.execute(_LAST_WRITE).scalar_one())


@contextmanager
def inspecting_url(url: URL) -> Iterator[Connection]:
    """A connection that reads. Blocks.

    Raises:
        StoreError: The database does not answer.
    """
    engine = open_engine(url, connections=1)
    try:
        with engine.connect().execution_options(postgresql_readonly=True) as connection:
            yield connection
    finally:
        engine.dispose()


def _outcome(connection: Connection, number: str) -> tuple[str, datetime | None]:
    """What became of a transaction, and since when its server runs."""
    try:
        status, since = connection.execute(_OUTCOME, {"number": number}).one()
    except DataError:
        # A server that was killed has lost it, and does not know its number.
        return "aborted", None
    return status, since


def _outside(engine: Engine) -> Connection:
    """A connection without a transaction."""
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")
