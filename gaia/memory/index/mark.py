"""The mark that stands beside Chroma's files, and tells the next process whether to trust them.

Chroma's native code does not survive every damage: on files that a power cut left empty or
full of zeros it dies of a signal, and the process with it, takes all memory there is, or
never returns. So it is given no files but those that are known to be as it left them:

- It was closed, and the mark has a digest of all files: they must be the same.
- It was open and idle when its process ended: the machine must not have been started since,
  for what it had not written to the disk by then is lost.
- It was at work when its process ended, perhaps of that work: they are not trusted.

Without a mark, as an earlier gaia left it, the files are trusted this once.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gaia.errors import IndexDamagedError
from gaia.files import rewrite

NAME = "gaia-mark"
DATABASE = "chroma.sqlite3"
FOLDER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Chroma's own folders, beside its database."""

AT_WORK, IDLE, CLOSED = b"W", b"I", b"C"
CONTENT = re.compile(rb"([WIC]) ([0-9a-f-]*)\n")
MOST_BYTES = 200

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""Another text after each start of the machine, on Linux."""

PIECE_BYTES = 1024 * 1024


class Mark:
    """The mark in a folder. `boot` names this start of the machine, empty where none can be
    had: there, files that were open and idle are trusted."""

    def __init__(self, folder: Path, boot: str | None = None) -> None:
        self._folder = folder
        self._file = folder / NAME
        self._boot = (this_boot() if boot is None else boot).encode()
        self._handle: int | None = None
        self._lock = threading.Lock()
        self._calls = 0

    def check(self) -> None:
        """Raise `IndexDamagedError` if the files are not to be trusted."""
        if cause := self.distrust():
            raise IndexDamagedError(cause)

    def distrust(self) -> str:
        """Why the files are not to be trusted, empty when they are."""
        try:
            with self._file.open("rb") as stream:
                content = stream.read(MOST_BYTES)
        except FileNotFoundError:
            return ""
        told = CONTENT.fullmatch(content)
        if told is None:
            return f"{str(self._file)!r} is damaged, and so may be the index"
        state, detail = told.groups()
        if state == AT_WORK:
            return "gaia ended while it read or wrote the index, which may be damaged"
        if state == IDLE and detail != self._boot:
            return "the machine went down while gaia ran, so the index may be damaged"
        if state == CLOSED and detail != self._digest():
            return "the files of the index are not as gaia left them"
        return ""

    def begin(self) -> None:
        """Say that the files are open from now on."""
        self._release()
        rewrite(self._file, b"%s %s\n" % (IDLE, self._boot))
        self._handle = os.open(self._file, os.O_WRONLY | os.O_CLOEXEC)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Have the mark say, within the block, that Chroma is at work."""
        with self._lock:
            self._note(AT_WORK)
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                # One that never returned leaves the mark as it is.
                if self._calls == 0:
                    self._note(IDLE)

    def end(self) -> None:
        """Say that the files are closed, as they are now."""
        if self._handle is not None and self._calls == 0:
            self._release()
            # Without it, the next process trusts them until the machine is started again.
            with suppress(OSError):
                rewrite(self._file, b"%s %s\n" % (CLOSED, self._digest()))

    def remove(self) -> None:
        """Forget what was: the files are gone."""
        self._release()
        self._file.unlink(missing_ok=True)

    def _note(self, state: bytes) -> None:
        if self._handle is not None:
            os.pwrite(self._handle, state, 0)

    def _release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def _digest(self) -> bytes:
        """What stands in the files, and how they are called within the folder, in short."""
        digest = hashlib.blake2b(digest_size=32)
        for file in sorted(files_of(self._folder)):
            name = os.fsencode(file.relative_to(self._folder))
            content = hashlib.blake2b(digest_size=32)
            with file.open("rb") as stream:
                while piece := stream.read(PIECE_BYTES):
                    content.update(piece)
            digest.update(b"%d %s %s" % (len(name), name, content.digest()))
        return digest.hexdigest().encode()


def files_of(folder: Path) -> Sequence[Path]:
    """All files of Chroma's in a folder, which need not be there."""
    databases = [each for each in folder.glob(f"{DATABASE}*") if each.is_file()]
    folders = [each for each in folder.glob("*/") if FOLDER.fullmatch(each.name)]
    return [*databases, *(file for each in folders for file in each.rglob("*") if file.is_file())]


def this_boot() -> str:
    """What names this start of the machine, empty where nothing does."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
