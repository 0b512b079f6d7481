"""The place in which a backup is put together: in the home, and for one at a time.

It holds copies of the databases, so it lies where nobody else looks, and is removed
whatever happens. What a process left of it that was killed is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from gaia.errors import AlreadyRunningError, BackupBusyError, BackupError, HomeError
from gaia.files import database_uri, lock, open_new
from gaia.ops.backup.archives import Progress, unfinished_in
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from gaia.store.sqlite.database import BUSY_SECONDS
from gaia.store.sqlite.faults import store_error

LOCK = ".lock"
STAGING = ".staging"

PAGES_A_STEP = 2048
"""Copied before the next look whether to go on: 8 MB."""

NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@contextmanager
def backup_lock(home: Home) -> Iterator[None]:
    """Be the only one who makes or removes backups of the home, also among processes.

    Raises:
        BackupBusyError: Another one is.
        BackupError: The folder cannot be written to.
    """
    try:
        home.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = lock(home.backups / LOCK)
    except BlockingIOError as exc:
        raise BackupBusyError(
            f"another backup of {str(home.root)!r} is being made: try again when it is done"
        ) from exc
    except OSError as exc:
        raise unwritable(home.backups, exc) from exc
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def staging(home: Home) -> Iterator[Path]:
    """An empty folder to put a backup together in, and the lock for it.

    Raises:
        BackupBusyError: Another backup is being made.
        BackupError: The folder cannot be written to.
    """
    with backup_lock(home):
        clear_leftovers(home)
        folder = home.backups / STAGING
        try:
            folder.mkdir(mode=0o700)
        except OSError as exc:
            raise unwritable(home.backups, exc) from exc
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def clear_leftovers(home: Home) -> None:
    """Remove what was copied for a backup, or unpacked for a restore, that was never finished.
    Needs the lock."""
    shutil.rmtree(home.backups / STAGING, ignore_errors=True)
    for folder in home.unfinished_restores():
        # One that goes on holds its lock.
        with suppress(AlreadyRunningError, HomeError), DaemonLock(Home(folder)):
            shutil.rmtree(folder, ignore_errors=True)


def clear_unfinished(folder: Path) -> None:
    """Remove archives that were never finished. Needs the lock."""
    for path in unfinished_in(folder):
        path.unlink(missing_ok=True)


def unwritable(path: Path, exc: OSError) -> BackupError:
    """The error for a place that a backup cannot be written to."""
    return BackupError(
        f"{str(path)!r} cannot be written ({exc.strerror or exc}): make room on its disk, make "
        "it writable by this user, or name another place (backup.folder, or --to)"
    )


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


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        database_uri(path, "rw"), uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )


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
