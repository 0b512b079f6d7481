"""Opens gaia.db: checks it, migrates it, and refuses what this version cannot use.

A file is first looked at read-only, so that one that turns out damaged, foreign or newer
is left as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, NullPool, create_engine, inspect, text
from sqlalchemy.exc import DatabaseError

from gaia.errors import NewerStoreError, StoreError
from gaia.files import database_uri
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.faults import damaged, translate_failures
from gaia.store.migrations import HEAD, REVISIONS
from gaia.store.presence import require_saved_copy_taken

REVISION_TABLE = "alembic_version"

QUICK_CHECK_BYTES = 8 * 1024 * 1024
"""Files up to this size are checked page by page: about 10 ms. In a larger one
only the header, the size and the schema are read; SQLite reports a damaged
page when it meets one."""

SMALLEST_PAGE_BYTES = 512
HEADER = b"SQLite format 3\0"


async def open_database(home: Home) -> Database:
    """gaia.db, with the tables of this version.

    Raises:
        NewerStoreError: A newer gaia wrote it. It is left untouched.
        VanishedError: It was removed while gaia ran, and there is a copy of it.
        StoreError: It is damaged, not gaia's, or cannot be written.
    """
    await asyncio.to_thread(_bring_up_to_date, home)
    return Database(home.database)


def read_revision(path: Path) -> str | None:
    """The revision of an existing gaia.db, which is left as it is; None if it holds nothing.
    Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is damaged, not gaia's, or cannot be read.
    """
    if holds_nothing(path):
        return None
    with inspecting(path) as connection:
        tables = table_names(connection)
        if not tables:
            return None
        if REVISION_TABLE not in tables:
            raise StoreError(
                f"{str(path)!r} is not a database of gaia, it holds tables such as "
                f"{min(tables)!r}: move it away, or set GAIA_HOME to another folder"
            )
        query = text(f"SELECT version_num FROM {REVISION_TABLE}")  # noqa: S608
        revision = connection.execute(query).scalar()
    if revision not in REVISIONS:
        raise NewerStoreError(
            f"{str(path)!r} was written by another, probably newer, version of gaia "
            f"(revision {revision!r}, this version knows up to {HEAD!r}) and was left untouched: "
            "install that version, or move the file away"
        )
    return str(revision)


def holds_nothing(path: Path) -> bool:
    """Whether there is no file yet, or one that SQLite has not written to."""
    return not path.exists() or _size(path) == 0


@contextmanager
def inspecting(path: Path) -> Iterator[Connection]:
    """A read-only connection to an existing file. Blocks.

    Raises:
        StoreError: The file is damaged, no database, or cannot be read.
    """
    _check_header(path)
    url = URL.create("sqlite", database=database_uri(path, "ro"), query={"uri": "true"})
    engine = create_engine(url, poolclass=NullPool)
    translate_failures(engine, path)
    try:
        with engine.connect() as connection:
            _check_pages(connection, path)
            yield connection
    finally:
        engine.dispose()


def table_names(connection: Connection) -> frozenset[str]:
    """The tables that the file holds."""
    return frozenset(inspect(connection).get_table_names())


def _bring_up_to_date(home: Home) -> None:
    if holds_nothing(home.database):
        require_saved_copy_taken(home.database, home.backups)
    if read_revision(home.database) != HEAD:
        # Alembic takes as long to import as a short command takes to run.
        from gaia.store.migrate import migrate

        migrate(home.database, home.backups)


def _check_header(path: Path) -> None:
    """SQLite takes a file that is shorter than a page for a new one, and writes over it."""
    try:
        with path.open("rb") as file:
            start = file.read(SMALLEST_PAGE_BYTES)
    except OSError as exc:
        raise StoreError(
            f"{str(path)!r} cannot be read ({exc.strerror}): make it a file that this user may read"
        ) from exc
    if len(start) < SMALLEST_PAGE_BYTES or not start.startswith(HEADER):
        raise StoreError(damaged(path, "file is not a database"))


def _check_pages(connection: Connection, path: Path) -> None:
    try:
        connection.execute(text("SELECT count(*) FROM sqlite_master"))
        if _size(path) > QUICK_CHECK_BYTES:
            return
        finding = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    except (DatabaseError, UnicodeDecodeError) as exc:
        # SQLite has words of its own for some damage, and quotes it in others.
        cause = exc.orig if isinstance(exc, DatabaseError) else "it is not UTF-8"
        raise StoreError(damaged(path, str(cause))) from exc
    if finding != "ok":
        raise StoreError(damaged(path, finding))


def _size(path: Path) -> int:
    return path.stat().st_size
