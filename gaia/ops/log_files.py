"""Takes lines out of the log files, also out of the one that is being written.

A line goes with all that belongs to it, such as the traceback below it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gaia.files import UNFINISHED, rewrite
from gaia.logs import PrivateFileHandler
from gaia.logs.line import INDENT, parse


def cut_lines(folder: Path, says: Callable[[str], bool]) -> int:
    """Take the lines that `says` finds out of all log files; returns how many.

    Blocks, for seconds where logs are long. Lines are written meanwhile, but for the
    moment in which files are replaced: by then all but the newest lines were judged.
    """
    for left in folder.glob(f"*{UNFINISHED}"):
        left.unlink()
    judged: dict[int, int] = {}
    going: set[bytes] = set()
    for file in _log_files(folder):
        content = file.read_bytes()
        judged[file.stat().st_ino] = len(content)
        going |= _lines_that_say(content, says)
    cut = 0
    with _nobody_writing(folder):
        for file in _log_files(folder):
            content = file.read_bytes()
            # Files may have been rotated meanwhile, and have become longer.
            known = judged.get(file.stat().st_ino, 0)
            going |= _lines_that_say(content[known:], says)
            lines = _lines(content)
            kept = [line for line in lines if line not in going]
            if len(kept) < len(lines):
                rewrite(file, b"".join(kept))
                cut += len(lines) - len(kept)
    return cut


@contextmanager
def _nobody_writing(folder: Path) -> Iterator[None]:
    """Hold up whoever wants to log into the folder, who then opens the file anew."""
    with ExitStack() as stack:
        for handler in logging.getLogger().handlers:
            if isinstance(handler, PrivateFileHandler) and handler.writes_into(folder):
                handler.acquire()
                stack.callback(handler.release)
                handler.let_go()
        yield


def _log_files(folder: Path) -> Sequence[Path]:
    return sorted(file for file in folder.glob("*.log*") if file.is_file())


def _lines_that_say(content: bytes, says: Callable[[str], bool]) -> set[bytes]:
    return {line for line in _lines(content) if _says(line.decode("utf-8", "replace"), says)}


def _lines(content: bytes) -> Sequence[bytes]:
    """The lines with what is indented below them."""
    lines: list[list[bytes]] = []
    for line in content.splitlines(keepends=True):
        if lines and line.startswith(INDENT.encode()):
            lines[-1].append(line)
        else:
            lines.append([line])
    return [b"".join(line) for line in lines]


def _says(text: str, says: Callable[[str], bool]) -> bool:
    """JSON writes some words otherwise than they were said."""
    line = parse(text.rstrip("\n")) if text.startswith("{") else None
    return says(text) or (line is not None and says(line.said))
