"""A look at a SQLite file before anything is done to it.

It opens the file read-only, so a file that turns out damaged, foreign or newer
is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, NullPool, create_engine, inspect, text

from gaia.errors import StoreError
from gaia.store.engine import translate_failures
from gaia.store.failures import damaged

QUICK_CHECK_BYTES = 8 * 1024 * 1024
"""Files up to this size are checked page by page: about 10 ms. In a larger one
only the header, the size and the schema are read; SQLite reports a damaged
page when it meets one."""

SMALLEST_PAGE_BYTES = 512
HEADER = b"SQLite format 3\0"


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
    url = URL.create(
        "sqlite",
        database=f"file:{quote(str(path))}",
        query={"mode": "ro", "uri": "true"},
    )
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
    connection.execute(text("SELECT count(*) FROM sqlite_master"))
    if _size(path) > QUICK_CHECK_BYTES:
        return
    finding = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    if finding != "ok":
        raise StoreError(damaged(path, finding))


def _size(path: Path) -> int:
    return path.stat().st_size
