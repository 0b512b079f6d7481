"""The files that lines are written into, and their rotation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from io import TextIOWrapper
from logging import LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path

from gaia.files import create

FILE = "gaia.log"
BYTES_PER_MEGABYTE = 1_000_000


class PrivateFileHandler(RotatingFileHandler):
    """Makes files that only their owner can read.

    A line that reaches it when it is closed is still appended, and the file is left as it
    was: another one writes there by then.
    """

    _is_closed = False

    def _open(self) -> TextIOWrapper:
        create(Path(self.baseFilename))
        return super()._open()

    def emit(self, record: LogRecord) -> None:
        super().emit(record)
        if self._is_closed:
            self.let_go()

    def close(self) -> None:
        with self.lock or nullcontext():
            self._is_closed = True
            super().close()

    def shouldRollover(self, record: LogRecord) -> bool:  # noqa: N802 - logging's name
        return not self._is_closed and bool(super().shouldRollover(record))

    def doRollover(self) -> None:  # noqa: N802 - logging's name
        """Begin a new file, and keep no more of the older ones than there are to be."""
        super().doRollover()
        file = Path(self.baseFilename)
        for number, older in numbered(file.parent, file.name):
            if number > self.backupCount:
                older.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Close the file, within its lock: the next line opens the one that is there then."""
        if self.stream is not None:
            self.stream.close()
            self.stream = None

    def writes_into(self, folder: Path) -> bool:
        """Whether the file is in that folder."""
        return Path(self.baseFilename).parent == folder.absolute()

    def handleError(self, record: LogRecord) -> None:  # noqa: N802 - logging's name
        """A disk that is full costs lines of the file, not a traceback for each."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_files(folder: Path) -> Sequence[Path]:
    """The files of a log, the oldest first."""
    older = sorted(numbered(folder, FILE), reverse=True)
    newest = folder / FILE
    return [*(file for _, file in older), *([newest] if newest.is_file() else [])]


def numbered(folder: Path, name: str) -> Sequence[tuple[int, Path]]:
    """The files that were rotated, each with its number: the higher, the older."""
    return [
        (int(file.suffix[1:]), file)
        for file in folder.glob(f"{name}.*")
        if file.suffix[1:].isdecimal() and file.stem == name
    ]
