"""Whether open files still stand at their paths.

A process goes on writing into a file that was removed or replaced, and nothing of that is left
once it ends. So what is open is compared with what stands at its path, by device and inode:
after a write as well, before anybody is told that it was kept.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gaia.errors import StoreError, VanishedError
from gaia.files import UNFINISHED, open_new
from gaia.paths import Home

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

EXPECTED = "expected"
"""Of a connection that is being made: the file that it is to open."""

GONE = (
    "{path!r} was {what} while gaia runs: nothing is taken any more, since it would be lost. "
    "Stop gaia, put the file back ('gaia-at-loss-…' in the folder 'backups' is a copy of what "
    "gaia has), and start it again"
)

Identity = tuple[int, int]


def identity_at(path: Path) -> Identity | None:
    """Which file stands at `path`; None if there is none, or nobody can tell."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def difference(path: Path, opened: Identity) -> str:
    """How what stands at `path` is not the file that was opened; empty if it is."""
    found = identity_at(path)
    if found == opened:
        return ""
    return "removed" if found is None else "replaced"


class OpenDatabase:
    """The files that the connections of an engine have open: the database and its WAL."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self._paths = (path, path.with_name(f"{path.name}-wal"))
        self._opened: dict[Path, Identity] = {}
        self._connections = 0
        self._lock = threading.Lock()
        from sqlalchemy import event

        event.listen(engine, "do_connect", self._before_connect)
        event.listen(engine, "connect", self._check_opened, insert=True)
        event.listen(engine, "connect", self._connected)
        event.listen(engine, "close", self._closed)

    def problem(self) -> str:
        """What was removed or replaced, and what to do; empty if nothing was."""
        with self._lock:
            if not self._connections:
                return ""
            for path in self._paths:
                opened = self._opened.get(path)
                if opened is None:
                    self._learn(path)
                elif what := difference(path, opened):
                    return GONE.format(path=str(path), what=what)
        return ""

    def _before_connect(self, dialect: object, record: ConnectionPoolEntry, *_: object) -> None:
        """Note which file the new connection is to open: the one that the rest have open."""
        if problem := self.problem():
            raise VanishedError(problem)
        record.info[EXPECTED] = self._opened.get(self._paths[0]) or identity_at(self._paths[0])

    def _check_opened(self, connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        """It has opened another file, when that was removed or replaced in between: nothing may
        be asked of it, or the other file gets the WAL of this one."""
        path, expected = self._paths[0], record.info.pop(EXPECTED)
        if expected is None:
            what = "removed"
        else:
            with self._lock:
                first = self._opened.setdefault(path, expected)
            what = difference(path, expected) or difference(path, first)
        if what:
            connection.close()
            raise VanishedError(GONE.format(path=str(path), what=what))

    def _connected(self, *arguments: object) -> None:
        with self._lock:
            self._connections += 1

    def _closed(self, *arguments: object) -> None:
        """The last connection takes the WAL with it."""
        with self._lock:
            self._connections -= 1
            if not self._connections:
                self._opened.clear()

    def _learn(self, path: Path) -> None:
        identity = identity_at(path)
        if identity is not None:
            self._opened[path] = identity


def save_copy(connection: sqlite3.Connection, folder: Path, stem: str, now: datetime) -> Path:
    """Copy what `connection` has open, whether or not it has a name, into `folder`, which is made
    if need be. The copy is whole or not there. Blocks.

    Raises:
        StoreError: It cannot be written.
    """
    copy = folder / f"{stem}-at-loss-{now:%Y%m%d-%H%M%S}.db"
    try:
        write_copy(connection, copy)
    except (OSError, sqlite3.Error) as exc:
        raise StoreError(
            f"what gaia has of {stem}.db cannot be saved in {str(folder)!r} ({exc}): make room "
            "there, and make it writable by this user; gaia tries again until it is stopped"
        ) from exc
    return copy


def write_copy(connection: sqlite3.Connection, copy: Path) -> None:
    """Copy what `connection` has open, whole or not at all, in the place of what stands there.
    The folder is made if need be. Blocks; raises what SQLite or the system does."""
    unfinished = copy.with_suffix(UNFINISHED)
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished.unlink(missing_ok=True)
    open_new(unfinished).close()
    with closing(sqlite3.connect(unfinished)) as target:
        connection.backup(target)
    unfinished.replace(copy)


def require_saved_copy_taken(path: Path, backups: Path) -> None:
    """Refuse to begin an empty database where there is a copy of one that was lost.

    Raises:
        VanishedError: There is a copy; the message says what to do with it.
    """
    copies = sorted(backups.glob(f"{path.stem}-at-loss-*.db"))
    if copies:
        raise VanishedError(
            f"{str(path)!r} is not there, and was removed while gaia ran; what gaia had then is "
            f"{str(copies[-1])!r}: move that to {str(path)!r} to go on with it, or remove it to "
            "start with nothing"
        )


def require_restore_ended(home: Home) -> None:
    """Refuse to begin an empty database where a restore was killed between moving the home aside
    and putting the restored one in its place.

    Raises:
        VanishedError: One was; the message says what to do.
    """
    before, restoring = home.moved_aside(), home.unfinished_restores()
    if before and restoring:
        raise VanishedError(
            f"{str(home.database)!r} is not there, and a restore was killed: what was in "
            f"{str(home.root)!r} before is {str(before[-1])!r}; move that back to go on with it, "
            f"or remove {str(restoring[-1])!r} to start with nothing"
        )


def lock_difference(path: Path, handle: int) -> str:
    """Whether the lock that `handle` holds is no longer the file at `path`; empty if it is."""
    status = os.fstat(handle)
    what = difference(path, (status.st_dev, status.st_ino))
    if not what:
        return ""
    return (
        f"the lock {str(path)!r} was {what} while gaia runs: another gaia could start in this "
        "home, so that nothing is taken any more. Restart gaia"
    )
