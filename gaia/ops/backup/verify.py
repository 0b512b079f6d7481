"""Reads an archive, looks into what it holds, and tells whether it can be restored.

Nothing of it is believed before it is checked. It may hold the files that a backup can have,
under their names, and nothing else: no path, link or device is ever followed or made. A file
is of the size, and has the hash, that the manifest tells."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

from pydantic import ValidationError
from sqlalchemy import URL

from gaia.errors import BackupDamagedError, BackupError, PassphraseError, StoreError
from gaia.files import open_new
from gaia.ops.backup.archives import (
    MANIFEST,
    MANIFEST_MAX_BYTES,
    Manifest,
    Progress,
    Silent,
    is_encrypted,
    places,
)
from gaia.ops.backup.contents import Contents, count_in_file, find_troubles
from gaia.ops.backup.encryption import VARIABLE, decrypting
from gaia.paths import Home

PIECE_BYTES = 1024 * 1024
MOST_READS_PAST_END = 10
"""Of an archive that ends well there are two."""

HEADERS_BYTES = 1024 * 1024
"""So much there may be beside the files: headers, padding, and the end."""


def unpack(path: Path, passphrase: str | None, folder: Path, progress: Progress) -> Manifest:
    """Check an archive, and write its files into an empty folder (0600). Blocks.

    Raises:
        PassphraseError: It is encrypted, and the passphrase is missing or wrong.
        BackupDamagedError: It is not what was written; all that is found is in it.
        BackupError: It cannot be read, or there is no room for it.
    """
    troubles: list[str] = []
    manifest = None
    try:
        with _opened(path, passphrase) as content:
            progress.step(f"reading {path.name}")
            with gzip.open(content) as file:
                unzipped = _Bounded(file)
                with tarfile.open(fileobj=cast(IO[bytes], unzipped), mode="r|") as tar:
                    manifest = _read_manifest(tar)
                    _check_room(manifest, folder)
                    troubles += _read_files(tar, unzipped, manifest, folder, progress)
                    # What is behind the tar's end has a say in the checksum.
                    while unzipped.read(PIECE_BYTES):
                        pass
    except (gzip.BadGzipFile, zlib.error, tarfile.TarError, EOFError) as exc:
        troubles.append(f"it is cut or damaged ({exc or type(exc).__name__})")
    except OSError as exc:
        raise BackupError(
            f"{str(path)!r} cannot be read or unpacked ({exc.strerror or exc}): check the file, "
            f"and that there is room in {str(folder.parent)!r}"
        ) from exc
    if troubles or manifest is None:
        raise damaged(path, troubles)
    return manifest


class _Bounded:
    """What is unpacked: the manifest, headers, and the files that were allowed. A small archive
    may unpack to one without end, the header of a member be of any size, and what a member
    claims to have not be there."""

    def __init__(self, unzipped: gzip.GzipFile) -> None:
        self._unzipped = unzipped
        self._left = MANIFEST_MAX_BYTES + HEADERS_BYTES
        self._reads_past_end = 0

    def allow(self, size: int) -> None:
        """Let so many bytes more be read."""
        self._left += size

    def read(self, size: int) -> bytes:
        piece = self._unzipped.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise tarfile.TarError("it holds more than its manifest tells")
        if not piece:
            # A member that claims a size without end is passed over piece by piece.
            self._reads_past_end += 1
            if self._reads_past_end > MOST_READS_PAST_END:
                raise EOFError("it ends before its files do")
        return piece


def damaged(path: Path, troubles: Sequence[str]) -> BackupDamagedError:
    """The error for an archive with these troubles."""
    told = "\n".join(f"  {trouble}" for trouble in troubles)
    return BackupDamagedError(
        f"{path.name} cannot be restored, take another backup:\n{told}", troubles
    )


@contextmanager
def _opened(path: Path, passphrase: str | None) -> Iterator[IO[bytes]]:
    if not is_encrypted(path):
        with path.open("rb") as file:
            yield file
    elif not passphrase:
        raise PassphraseError(
            f"{path.name} is encrypted: set {VARIABLE} to the passphrase that it was made with"
        )
    else:
        with decrypting(path, passphrase) as content:
            yield content


def _read_manifest(tar: tarfile.TarFile) -> Manifest:
    member = tar.next()
    if member is None or member.name != MANIFEST or not member.isreg():
        raise tarfile.TarError(f"it does not begin with {MANIFEST}")
    if member.size > MANIFEST_MAX_BYTES:
        raise tarfile.TarError(f"{MANIFEST} is too large")
    try:
        return Manifest.model_validate_json(_content(tar, member).read())
    except ValidationError as exc:
        where = ".".join(str(part) for part in exc.errors()[0]["loc"])
        raise tarfile.TarError(
            f"{MANIFEST} is not understood by this version of gaia, at {where or 'its start'}"
        ) from exc


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise tarfile.TarError(f"{member.name} has no content")
    return content


def _check_room(manifest: Manifest, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if manifest.size > free:
        raise BackupError(
            f"the backup needs {manifest.size / 1e6:,.0f} MB in {str(folder.parent)!r}, and "
            f"{free / 1e6:,.0f} MB are free: make room there"
        )


def _read_files(
    tar: tarfile.TarFile,
    unzipped: _Bounded,
    manifest: Manifest,
    folder: Path,
    progress: Progress,
) -> Iterator[str]:
    """Write what may be written; what is wrong with each file is told."""
    possible, secret = places(Home(folder)), Home(folder).env_file.name
    due = {entry.name: entry for entry in manifest.files}
    before = 0
    for name in sorted(set(due) - set(possible)):
        yield f"{MANIFEST} names {name!r}, which no backup has"
        del due[name]
    while (member := tar.next()) is not None:
        if member.name == secret and not manifest.with_secrets:
            yield f"it has {member.name}, and {MANIFEST} tells of no secrets"
        elif member.name not in possible or not member.isreg():
            yield f"it has {_kind(member)} {member.name!r}, which no backup has"
        elif (entry := due.pop(member.name, None)) is None:
            yield f"{member.name} is in it twice, or is not in {MANIFEST}"
        elif member.size != entry.size:
            yield f"{member.name} has {member.size:,} bytes, and {entry.size:,} were written"
        else:
            unzipped.allow(member.size)
            if _write(_content(tar, member), possible[member.name]) != entry.sha256:
                yield f"{member.name} is not what was written (SHA-256)"
        before += min(member.size, manifest.size)
        progress.bytes_done(min(before, manifest.size), manifest.size)
    for name in due:
        yield f"{name} is missing"


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a link"
    return "a file" if member.isreg() else "a folder" if member.isdir() else "a device"


def _write(content: IO[bytes], path: Path) -> str:
    """Write a file, and have it on the disk; returns its hash."""
    digest = hashlib.sha256()
    with open_new(path) as file:
        while piece := content.read(PIECE_BYTES):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """A backup that can be restored, and what is in it. Of a dump that could not be restored for
    a trial that is not known; `untried` says why."""

    path: Path
    manifest: Manifest
    contents: Contents | None
    untried: str = ""


async def verify_backup(
    path: Path, passphrase: str | None, progress: Progress | None = None, server: URL | None = None
) -> Verified:
    """Look whether a backup can be restored; a dump on that server, in a database for a trial.

    Raises:
        BackupDamagedError: It cannot; all that is wrong with it is told.
        PassphraseError: It is encrypted, and the passphrase is missing or wrong.
        BackupError: It cannot be read, there is no room for the trial, or PostgreSQL's programs
            are missing.
    """
    with TemporaryDirectory(prefix="gaia-verify-") as folder:
        home = Home(Path(folder))
        manifest = await asyncio.to_thread(
            unpack, path, passphrase, home.root, progress or Silent()
        )
        troubles = await asyncio.to_thread(find_troubles, home, manifest)
        try:
            if not troubles and manifest.database == "sqlite":
                return Verified(path, manifest, await count_in_file(home))
            if not troubles:
                from gaia.ops.backup.trial import try_dump

                tried = await asyncio.to_thread(try_dump, home.dump, manifest, server)
                return Verified(path, manifest, tried.contents, tried.untried)
        except BackupDamagedError as exc:
            troubles = exc.troubles
        except StoreError as exc:
            troubles = [str(exc)]
    raise damaged(path, troubles)
