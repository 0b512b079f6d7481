"""Takes entries out of the terminal's history of what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from gaia.files import UNFINISHED, rewrite
from gaia.store.redaction import FORGET_COMMAND

TYPED = b"+"
"""Begins each line of an entry; others, such as its time, stand between two entries."""


def cut_entries(file: Path, says: Callable[[str], bool]) -> int:
    """Take out the entries that `says` finds, and those that tell what to forget;
    returns how many. Blocks."""
    file.with_name(file.name + UNFINISHED).unlink(missing_ok=True)
    if not file.exists():
        return 0
    content = file.read_bytes()
    kept: list[bytes] = []
    cut = 0
    for entry in _entries(content):
        if _goes(entry, says):
            cut += 1
        else:
            kept += entry
    if cut:
        rewrite(file, b"".join(kept))
    return cut


def _entries(content: bytes) -> Iterator[list[bytes]]:
    """The lines of each entry, with those that stand before it."""
    entry: list[bytes] = []
    for line in content.splitlines(keepends=True):
        if not line.startswith(TYPED) and entry and entry[-1].startswith(TYPED):
            yield entry
            entry = []
        entry.append(line)
    yield entry


def _goes(entry: list[bytes], says: Callable[[str], bool]) -> bool:
    typed = [line.removeprefix(TYPED) for line in entry if line.startswith(TYPED)]
    text = b"".join(typed).decode("utf-8", errors="replace")
    return text.strip().lower().startswith(FORGET_COMMAND) or says(text)
