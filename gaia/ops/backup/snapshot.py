"""A copy of the database as it is at one moment, while others write to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from gaia.errors import BackupError
from gaia.files import open_new
from gaia.ops.backup.progress import Progress
from gaia.store.engine import BUSY_SECONDS
from gaia.store.failures import store_error

PAGES_A_STEP = 2048
"""Copied before the next look whether to go on: 8 MB."""

NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def copy_database(source: Path, folder: Path, progress: Progress) -> None:
    """Copy the database into the folder under its name, as it is at one moment.

    Blocks. The copy holds nothing of what was deleted, and needs no write-ahead log.

    Raises:
        StoreError: The database cannot be read, is damaged, or stayed locked.
        BackupError: The copy cannot be written.
    """
    progress.step(f"copying {source.name}")
    try:
        with closing(_connect(source)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            _copy(source, reader, folder / source.name, progress)
    except sqlite3.Error as exc:
        raise store_error(source, exc) or exc from exc


def _connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _copy(source: Path, reader: sqlite3.Connection, copy: Path, progress: Progress) -> None:
    """Copy page by page, then write that copy once more: pages that are free, or only half
    in use, still hold what was deleted."""
    pages = copy.with_name(f"{copy.name}.pages")
    for path in (pages, copy):
        open_new(path).close()
    try:
        (page_bytes,) = reader.execute("PRAGMA page_size").fetchone()

        def tell(_: int, remaining: int, total: int) -> None:
            progress.bytes_done((total - remaining) * page_bytes, total * page_bytes)

        with closing(_connect(pages)) as to:
            reader.backup(to, pages=PAGES_A_STEP, progress=tell)
            to.execute("PRAGMA journal_mode = DELETE")
            to.execute("VACUUM INTO ?", (str(copy),))
    except sqlite3.Error as exc:
        raise _failure(source, copy, exc) from exc
    finally:
        pages.unlink(missing_ok=True)


def _failure(source: Path, copy: Path, exc: sqlite3.Error) -> Exception:
    if getattr(exc, "sqlite_errorcode", 0) & 0xFF in NO_ROOM:
        return BackupError(
            f"{source.name} cannot be copied to {str(copy.parent)!r} ({exc}): make as much room "
            "there as it has, and check that the folder is writable"
        )
    return store_error(source, exc) or exc
