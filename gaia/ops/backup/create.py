"""Makes a backup, whether or not gaia runs."""

from __future__ import annotations

import asyncio
import gzip
import io
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from sqlalchemy import URL
from sqlalchemy.orm import Session

from gaia import __version__
from gaia.errors import BackupBusyError, BackupError
from gaia.files import open_new, replacing
from gaia.ops.backup.archives import (
    ENCRYPTED_SUFFIX,
    MANIFEST,
    SUFFIX,
    Manifest,
    Progress,
    Silent,
    archive_name,
    entry_of,
    places,
)
from gaia.ops.backup.encryption import encrypting
from gaia.ops.backup.staging import clear_unfinished, copy_database, staging, unwritable
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.location import database_url
from gaia.store.migrations import HEAD
from gaia.store.opener import inspecting, read_revision
from gaia.store.revision import REVISION_TABLE
from gaia.store.sqlite.file import holds_nothing

COMPRESSION = 6


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
    url = database_url(home)
    if url is None and holds_nothing(home.database):
        raise BackupError(f"there is nothing to back up in {str(home.root)!r}: it has no gaia.db")
    with staging(home) as folder:
        # What is told is never later than what is in it.
        taken_at = now()
        path = _path(wanted, taken_at, _last_forgotten(home))
        clear_unfinished(path.parent)
        if url is None:
            copy_database(home.database, folder, progress)
            revision = _revision(folder / home.database.name)
        else:
            revision = _dump(url, folder / home.dump.name, progress)
        _stage(home, folder, wanted)
        manifest = Manifest(
            gaia=__version__,
            database="sqlite" if url is None else "postgresql",
            revision=revision,
            taken_at=taken_at,
            while_running=wanted.while_running,
            with_secrets=(folder / home.env_file.name).exists(),
            files=tuple(
                entry_of(folder / name) for name in places(home) if (folder / name).exists()
            ),
        )
        _write_archive(path, folder, manifest, wanted.passphrase, progress)
    return Made(path, manifest, path.stat().st_size, is_encrypted=wanted.passphrase is not None)


def _last_forgotten(home: Home) -> str:
    """The mark of the last that was forgotten; the copy is made later, and is without it."""
    if read_revision(home) != HEAD:
        return ""
    with inspecting(home) as connection, Session(connection) as session:
        return next((each.mark for each in reversed(audit.forgotten(session))), "")


def _path(wanted: Wanted, taken_at: datetime, forgotten: str) -> Path:
    """Where the backup goes. The folder of the home is made where it is missing; another one
    is not: it may be that of a disk that is not there."""
    encrypted = wanted.passphrase is not None
    if wanted.to.is_dir():
        path = wanted.to / archive_name(
            taken_at, nightly=wanted.nightly, encrypted=encrypted, forgotten=forgotten
        )
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


def _dump(url: URL, path: Path, progress: Progress) -> str:
    """Dump the database; returns its revision."""
    from gaia.ops.backup.dumps import dump_database
    from gaia.store.postgres.database import read_revision_of
    from gaia.store.postgres.faults import name_of

    revision = read_revision_of(url)
    if revision is None:
        raise BackupError(f"there is nothing to back up in {name_of(url)}: it has no tables")
    progress.step(f"copying {name_of(url)}")
    dump_database(url, path)
    return revision


def _stage(home: Home, folder: Path, wanted: Wanted) -> None:
    """Copy what goes into the backup beside the database into the folder."""
    apart = {home.database, home.dump, *(() if wanted.with_secrets else (home.env_file,))}
    for name, file in places(home).items():
        if file in apart:
            continue
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise BackupError(
                f"{str(file)!r} cannot be read ({exc.strerror}): make it readable by this user"
            ) from exc
        try:
            with open_new(folder / name) as copy:
                copy.write(content)
        except OSError as exc:
            raise unwritable(folder, exc) from exc


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


def _write_archive(
    path: Path, folder: Path, manifest: Manifest, passphrase: str | None, progress: Progress
) -> None:
    """Write the files of the manifest, which lie in the folder, to a new archive. It is its
    owner's alone (0600), and appears when it is whole and on the disk."""
    if path.exists() or path.is_symlink():
        raise BackupError(f"{str(path)!r} exists: choose another name, or move it away")
    progress.step("encrypting" if passphrase else "compressing")
    try:
        with replacing(path) as file:
            if passphrase is None:
                _write(file, folder, manifest, progress)
            else:
                with encrypting(file, passphrase) as encrypted:
                    _write(encrypted, folder, manifest, progress)
    except OSError as exc:
        raise unwritable(path.parent, exc) from exc


def _write(stream: IO[bytes], folder: Path, manifest: Manifest, progress: Progress) -> None:
    taken_at = int(manifest.taken_at.timestamp())
    with (
        gzip.GzipFile("", "wb", COMPRESSION, fileobj=stream, mtime=taken_at) as zipped,
        tarfile.open(fileobj=zipped, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        told = manifest.model_dump_json(indent=2).encode()
        tar.addfile(_member(MANIFEST, len(told), taken_at), io.BytesIO(told))
        before = 0
        for entry in manifest.files:
            member = _member(entry.name, entry.size, taken_at)
            with (folder / entry.name).open("rb") as file:
                tar.addfile(member, _TrackedFile(file, progress, before, manifest.size))
            before += entry.size


def _member(name: str, size: int, taken_at: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, taken_at, 0o600
    return member


class _TrackedFile(io.RawIOBase):
    """A file of which it is told how far it has been read; `before` were others'."""

    def __init__(self, file: IO[bytes], progress: Progress, before: int, total: int) -> None:
        self._file = file
        self._progress = progress
        self._done = before
        self._total = total

    def read(self, size: int = -1) -> bytes:
        """The next bytes of the file."""
        content = self._file.read(size)
        self._done += len(content)
        self._progress.bytes_done(self._done, self._total)
        return content
