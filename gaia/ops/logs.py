"""Reads the log: the last lines of its files, and on from there as it is written.

Files are rotated and rewritten meanwhile; both forms of a line may stand in one file.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from watchfiles import watch

from gaia.logs.handlers import log_files
from gaia.logs.line import Line, continued, parse

REST = "…"
"""Stands for the message of a line that was shown before all of it was written."""

LOOK_MILLISECONDS = 1000
"""The longest time without a look."""

GATHER_MILLISECONDS = 200
"""How long changes in quick succession may be gathered; a pause of a tenth ends that."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines to show: those of a turn, by the beginning of its id; at least this
    severe; not before `since`."""

    turn: str = ""
    severity: int = 0
    since: datetime | None = None

    def takes(self, line: Line) -> bool:
        """Whether it is one of them."""
        return (
            line.severity >= self.severity
            and (self.since is None or line.at >= self.since)
            and (line.turn or "").startswith(self.turn)
        )


class LogReader:
    """Reads the log of a folder, each line once. Use it as a context manager."""

    def __init__(self, folder: Path, wanted: Wanted) -> None:
        self._folder = folder
        self._wanted = wanted
        self._file: BinaryIO | None = None
        self._latest: list[Line] = []
        """What was read of the last moment: they tell where a rewritten file goes on."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def last(self, count: int | None) -> Sequence[Line]:
        """The last lines that are wanted, or all of them, over all files."""
        found: deque[Line] = deque()
        with ExitStack() as stack:
            files = self._open(stack)
            for file in reversed(files):
                if count is not None and len(found) >= count:
                    break
                if self._wanted.since is not None and _changed_at(file) < self._wanted.since:
                    break
                left = None if count is None else count - len(found)
                wanted = deque(filter(self._wanted.takes, self._noted(_lines(file))), left)
                found.extendleft(reversed(wanted))
            if files and files[-1].tell() == 0:
                files[-1].seek(0, os.SEEK_END)
            self._hold(files)
        return found

    def more(self) -> Sequence[Line]:
        """The lines that are wanted and were written since."""
        return list(filter(self._wanted.takes, self._unread()))

    def _unread(self) -> Iterator[Line]:
        held = self._file
        is_known = held is not None and not _is_cut(held)
        if held is not None and is_known:
            yield from self._noted(_lines(held, before=self._latest[-1:]))
        with ExitStack() as stack:
            files = self._open(stack)
            places = [place for place, file in enumerate(files) if _is_same(file, held)]
            if is_known and places:
                files = files[places[0] :]
                for file in files[1:]:
                    yield from self._noted(_lines(file))
                self._hold(files[1:])
            else:
                for file in files:
                    yield from self._noted(self._later(_lines(file)))
                self._hold(files)

    def _open(self, stack: ExitStack) -> Sequence[BinaryIO]:
        return [stack.enter_context(file.open("rb")) for file in log_files(self._folder)]

    def _noted(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            if self._latest and self._latest[0].at == line.at:
                self._latest.append(line)
            elif not self._latest or line.at > self._latest[0].at:
                self._latest = [line]
            yield line

    def _later(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Of files that were rewritten, what was written after all that was read."""
        latest = list(self._latest)
        for line in lines:
            if not latest or (line.at >= latest[0].at and line not in latest):
                yield line

    def _hold(self, files: Sequence[BinaryIO]) -> None:
        """Keep the newest of the files open: so long no other one can be taken for it."""
        if files:
            if self._file is not None:
                self._file.close()
            self._file = os.fdopen(os.dup(files[-1].fileno()), "rb")
            self._file.seek(files[-1].tell())


def _lines(file: BinaryIO, before: Sequence[Line] = ()) -> Iterator[Line]:
    """The lines from the file's position on that are complete, with what is below them.
    What continues the last one of `before` is given as one of its moment and turn."""
    line = replace(before[-1], message=REST, exception=None) if before else None
    more: list[str] = []
    is_begun = False
    for text in _complete(file):
        parsed = parse(text)
        if parsed is None:
            more.append(text)
            continue
        if line is not None and (is_begun or more):
            yield continued(line, more)
        line, more, is_begun = parsed, [], True
    if line is not None and (is_begun or more):
        yield continued(line, more)


def _complete(file: BinaryIO) -> Iterator[str]:
    while text := file.readline():
        if not text.endswith(b"\n"):
            file.seek(-len(text), os.SEEK_CUR)
            return
        yield text[:-1].decode("utf-8", "replace")


def _is_same(file: BinaryIO, other: BinaryIO | None) -> bool:
    return other is not None and os.path.sameopenfile(file.fileno(), other.fileno())


def _is_cut(file: BinaryIO) -> bool:
    """Whether the file was made shorter than what was read of it."""
    return os.fstat(file.fileno()).st_size < file.tell()


def _changed_at(file: BinaryIO) -> datetime:
    return datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)


def follow(reader: LogReader, folder: Path) -> Iterator[Sequence[Line]]:
    """What is written, as it is, without end. The folder has to be there. Blocks."""
    for _ in watch(
        folder,
        watch_filter=None,
        debounce=GATHER_MILLISECONDS,
        step=GATHER_MILLISECONDS // 10,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
        recursive=False,
    ):
        yield reader.more()
