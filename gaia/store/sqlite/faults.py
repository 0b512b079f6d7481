"""The faults of a SQLite file: what SQLite says when it cannot be used, in words that help its
owner.

Only faults of the file, the disk or another process are translated: a broken constraint or a
wrong statement is the caller's, and stays what it is.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import Engine, ExceptionContext, event

from gaia.errors import StoreError

DAMAGED = (
    "is damaged ({detail}) and was left untouched: move it away together with its '-wal' file, "
    "if it has one, then put back a copy (see the folder 'backups' beside it) or start again"
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


def translate_failures(engine: Engine, path: Path) -> None:
    """Make faults of the file at `path` raise `StoreError`, with SQLite's own as its cause."""

    def translate(context: ExceptionContext) -> BaseException | None:
        return store_error(path, context.original_exception)

    event.listen(engine, "handle_error", translate)


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


def _is_disk_full(path: Path) -> bool:
    """SQLite calls a full disk an I/O error when it cannot grow the WAL's index."""
    try:
        return shutil.disk_usage(path.parent).free < FULL_BYTES
    except OSError:
        return False
