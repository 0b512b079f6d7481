"""A SQLite file looked at read-only, so that one that turns out damaged, foreign or newer is left
as it is.

SQLite alone opens it, here and in whatever a daemon runs: a file that a process opens and closes
itself loses the locks of all its connections (https://sqlite.org/howtocorrupt.html, 2.2), and the
next program that leaves the database takes the write-ahead log away from under them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DatabaseError

from gaia.errors import StoreError
from gaia.files import database_uri
from gaia.store.revision import revision_of
from gaia.store.sqlite.faults import damaged, translate_failures

QUICK_CHECK_BYTES = 8 * 1024 * 1024
"""Files up to this size are checked page by page: about 10 ms. In a larger one
only the header, the size and the schema are read; SQLite reports a damaged
page when it meets one."""

SMALLEST_PAGE_BYTES = 512


def read_file_revision(path: Path) -> str | None:
    """The revision of a SQLite file, which is left as it is; None if it holds nothing. Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is damaged, not gaia's, or cannot be read.
    """
    if holds_nothing(path):
        return None
    with inspecting_file(path) as connection:
        return revision_of(connection, str(path))


def holds_nothing(path: Path) -> bool:
    """Whether there is no file yet, or one that SQLite has not written to."""
    return not path.exists() or _size(path) == 0


@contextmanager
def inspecting_file(path: Path) -> Iterator[Connection]:
    """A read-only connection to an existing file. Blocks.

    Raises:
        StoreError: The file is damaged, no database, or cannot be read.
    """
    if _size(path) < SMALLEST_PAGE_BYTES:
        # SQLite takes one that is shorter than a page for a new one, and writes over it.
        raise StoreError(damaged(path, "file is not a database"))
    url = URL.create("sqlite", database=database_uri(path, "ro"), query={"uri": "true"})
    engine = create_engine(url, poolclass=NullPool)
    translate_failures(engine, path)
    try:
        with engine.connect() as connection:
            _check_pages(connection, path)
            yield connection
    finally:
        engine.dispose()


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
