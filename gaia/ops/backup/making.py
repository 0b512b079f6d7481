"""Makes a backup, whether or not gaia runs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gaia import __version__
from gaia.errors import BackupBusyError, BackupError
from gaia.files import open_new
from gaia.ops.backup.archives import ENCRYPTED_SUFFIX, SUFFIX, archive_name
from gaia.ops.backup.manifest import Manifest, entry_of, places
from gaia.ops.backup.progress import Progress, Silent
from gaia.ops.backup.snapshot import copy_database
from gaia.ops.backup.staging import clear_unfinished, staging, unwritable
from gaia.ops.backup.writing import write_archive
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.opening import REVISION_TABLE, holds_nothing


@dataclass(frozen=True, slots=True)
class Wanted:
    """What backup is to be made. `to` is a folder, or a new file that ends as archives do.

    `while_running` says that a daemon runs, and so goes on after the backup was taken.
    """

    to: Path
    nightly: bool = False
    with_secrets: bool = False
    passphrase: str | None = None
    while_running: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made."""

    path: Path
    manifest: Manifest
    size_bytes: int
    is_encrypted: bool


async def make_backup(
    home: Home, wanted: Wanted, clock: Clock, progress: Progress | None = None
) -> Made:
    """Make a backup of the home.

    Whoever stops waiting stops it at the next step that it tells of; it leaves nothing.

    Raises:
        BackupBusyError: Another one is being made.
        BackupError: There is nothing to make one of, or it cannot be written.
        StoreError: A database cannot be read.
    """
    watched = _Watched(progress or Silent())
    try:
        return await asyncio.to_thread(_make, home, wanted, clock.now, watched)
    except asyncio.CancelledError:
        watched.stopped = True
        raise


def _make(home: Home, wanted: Wanted, now: Callable[[], datetime], progress: Progress) -> Made:
    if holds_nothing(home.database):
        raise BackupError(f"there is nothing to back up in {str(home.root)!r}: it has no gaia.db")
    with staging(home) as folder:
        # What is told is never later than what is in it.
        taken_at = now()
        path = _path(home, wanted, taken_at)
        clear_unfinished(path.parent)
        _stage(home, folder, wanted, progress)
        manifest = Manifest(
            gaia=__version__,
            revision=_revision(folder / home.database.name),
            taken_at=taken_at,
            while_running=wanted.while_running,
            with_secrets=(folder / home.env_file.name).exists(),
            files=tuple(
                entry_of(folder / name) for name in places(home) if (folder / name).exists()
            ),
        )
        write_archive(path, folder, manifest, wanted.passphrase, progress)
    return Made(path, manifest, path.stat().st_size, is_encrypted=wanted.passphrase is not None)


def _path(home: Home, wanted: Wanted, taken_at: datetime) -> Path:
    """Where the backup goes. The folder of the home is made where it is missing; another one
    is not: it may be that of a disk that is not there."""
    encrypted = wanted.passphrase is not None
    if wanted.to.is_dir():
        path = wanted.to / archive_name(taken_at, nightly=wanted.nightly, encrypted=encrypted)
        if path.exists():
            raise BackupBusyError(f"{str(path)!r} was made at this very moment: try again")
        return path
    suffix = ENCRYPTED_SUFFIX if encrypted else SUFFIX
    if not wanted.to.name.endswith(suffix):
        raise BackupError(
            f"there is no folder {str(wanted.to)!r}: make it, or name a file that ends in {suffix}"
        )
    if not wanted.to.parent.is_dir():
        raise BackupError(f"there is no folder {str(wanted.to.parent)!r}: make it first")
    return wanted.to


def _stage(home: Home, folder: Path, wanted: Wanted, progress: Progress) -> None:
    """Copy what goes into the backup into the folder."""
    copy_database(home.database, folder, progress)
    files = [home.settings_file, home.last_good_settings_file]
    if wanted.with_secrets:
        files.append(home.env_file)
    for file in files:
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise BackupError(
                f"{str(file)!r} cannot be read ({exc.strerror}): make it readable by this user"
            ) from exc
        _write_private(folder / file.name, content)


def _write_private(path: Path, content: bytes) -> None:
    try:
        with open_new(path) as file:
            file.write(content)
    except OSError as exc:
        raise unwritable(path.parent, exc) from exc


def _revision(database: Path) -> str:
    try:
        with closing(sqlite3.connect(database)) as connection:
            row = connection.execute(f"SELECT version_num FROM {REVISION_TABLE}").fetchone()  # noqa: S608
    except sqlite3.OperationalError as exc:
        raise BackupError(
            f"{database.name} is not a database of gaia: there is nothing to back up"
        ) from exc
    return str(row[0])


class _Watched:
    """Passes on what is told, until it is stopped."""

    def __init__(self, progress: Progress) -> None:
        self.stopped = False
        self._progress = progress

    def step(self, what: str) -> None:
        self._look()
        self._progress.step(what)

    def bytes_done(self, done: int, total: int) -> None:
        self._look()
        self._progress.bytes_done(done, total)

    def _look(self) -> None:
        if self.stopped:
            raise BackupError("the backup was stopped: make it again")
