"""Private files, put in their place whole or not at all; and locks between processes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

PRIVATE = 0o600
UNFINISHED = ".partial"
"""Ends the name of what a crash left, to be removed before anything else."""


def create(file: Path) -> None:
    """Create a file that only its owner may read; one that is there stays as it is."""
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, PRIVATE))


def read_bounded(file: Path, most_bytes: int) -> bytes:
    """Read a file of at most so many bytes. What is no file, such as a pipe that nobody writes
    into, is not waited for.

    Raises:
        OSError: It cannot be read, is no file, or has more; `strerror` says which.
    """
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, and no file", str(file))
        with os.fdopen(handle, "rb", closefd=False) as stream:
            content = stream.read(most_bytes + 1)
    finally:
        os.close(handle)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes // 1000:,} kB", str(file))
    return content


def open_new(file: Path) -> BinaryIO:
    """Open a file for writing that only its owner may read.

    Raises:
        FileExistsError: There is one by that name.
    """
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE), "wb")


@contextmanager
def replacing(file: Path, unfinished: Path | None = None) -> Iterator[BinaryIO]:
    """Write a private file, which takes the place of `file` once the block has ended well
    and what it wrote is on the disk. Until then it has another name beside it."""
    draft = unfinished or file.with_name(file.name + UNFINISHED)
    draft.unlink(missing_ok=True)
    try:
        with open_new(draft) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def database_uri(file: Path, mode: str) -> str:
    """The name by which SQLite opens a database in one of its modes, such as `ro` for reading
    and `rw` for an existing file."""
    # The empty host keeps one that begins with two slashes from being read as a host's name.
    start = "file://" if file.is_absolute() else "file:"
    return f"{start}{quote(os.fsencode(file))}?mode={mode}"


def rewrite(file: Path, content: bytes) -> None:
    """Give a file that content, and leave it private to its owner. Blocks."""
    with replacing(file) as stream:
        stream.write(content)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(file: Path) -> int:
    """Lock a file among processes, at once; returns the descriptor that holds the lock,
    until it is closed or the process dies. The file stays: only the lock on it counts.

    Raises:
        BlockingIOError: Another process holds it.
        OSError: The file cannot be opened.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
