"""Copies of both databases as they are at one moment, while others write to them.

A turn writes to sessions.db and to gaia.db, and either alone a moment later would tell of
what the other does not know. So nobody writes to either for the instant in which a view of
both is taken; then all go on, and the copies are made from that view. What is restored of
them is what a crash in that instant would have left, which each start can cope with.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

from gaia.errors import BackupError
from gaia.ops.backup.progress import Progress
from gaia.store.engine import BUSY_SECONDS
from gaia.store.failures import store_error

PAGES_A_STEP = 2048
"""Copied before the next look whether to go on: 8 MB."""

NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def copy_together(sources: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Copy the databases into the folder under their names, as they are at one moment.

    Blocks. The copies hold nothing of what was deleted, and need no write-ahead log.

    Raises:
        StoreError: A database cannot be read, is damaged, or stayed locked.
        BackupError: A copy cannot be written.
    """
    with ExitStack() as views:
        readers = _look_at_once(sources, views)
        for source, reader in zip(sources, readers, strict=True):
            progress.step(f"copying {source.name}")
            _copy(source, reader, folder / source.name, progress)


def _look_at_once(sources: Sequence[Path], views: ExitStack) -> Sequence[sqlite3.Connection]:
    """Open a view of each database, all of the same moment, until `views` is closed."""
    readers = []
    with ExitStack() as pauses:
        for source in sources:
            try:
                reader = views.enter_context(closing(_connect(source)))
                writer = pauses.enter_context(closing(_connect(source)))
                # Always in this order: who waits for one of them holds none behind it.
                writer.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as exc:
                raise store_error(source, exc) or exc from exc
            readers.append(reader)
        for source, reader in zip(sources, readers, strict=True):
            try:
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.Error as exc:
                raise store_error(source, exc) or exc from exc
    return readers


def _connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _copy(source: Path, reader: sqlite3.Connection, copy: Path, progress: Progress) -> None:
    """Copy page by page, then write that copy once more: pages that are free, or only half
    in use, still hold what was deleted."""
    pages = copy.with_name(f"{copy.name}.pages")
    for path in (pages, copy):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
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
