"""An archive as it is written: the manifest and the files in a compressed tar, whole or not."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from gaia.errors import BackupError
from gaia.files import replacing
from gaia.ops.backup.encryption import encrypting
from gaia.ops.backup.manifest import MANIFEST, Manifest
from gaia.ops.backup.progress import Progress
from gaia.ops.backup.staging import unwritable

COMPRESSION = 6


def write_archive(
    path: Path, folder: Path, manifest: Manifest, passphrase: str | None, progress: Progress
) -> None:
    """Write the files of the manifest, which lie in the folder, to a new archive. Blocks.

    The archive is its owner's alone (0600), and appears when it is whole and on the disk.

    Raises:
        BackupError: It is there already, or cannot be written.
    """
    if path.exists() or path.is_symlink():
        raise BackupError(f"{str(path)!r} exists: choose another name, or move it away")
    progress.step("encrypting" if passphrase else "compressing")
    with _unfinished(path) as file:
        if passphrase is None:
            _write(file, folder, manifest, progress)
        else:
            with encrypting(file, passphrase) as encrypted:
                _write(encrypted, folder, manifest, progress)


@contextmanager
def _unfinished(path: Path) -> Iterator[IO[bytes]]:
    """The file under another name until the block has ended well."""
    try:
        with replacing(path) as file:
            yield file
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
                tar.addfile(member, _Told(file, progress, before, manifest.size))
            before += entry.size


def _member(name: str, size: int, taken_at: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, taken_at, 0o600
    return member


class _Told(io.RawIOBase):
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
