"""Files that gaia wrote its owner's memories to: they are known, so that what is forgotten goes
from them as well.

The list is a file in the home, a line for each export. A file that was moved away, or that its
owner has copied, is beyond gaia.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

from gaia.files import rewrite
from gaia.paths import Home

logger = logging.getLogger(__name__)

LARGEST = 200 * 1024 * 1024
"""Bytes of an export that is looked at."""

INDENTS = (" ", "\t")


def note(home: Home, user_id: str, path: Path) -> None:
    """Remember that a user's memories are written to a file, or a folder. Blocks. A home that
    cannot be written forgets nothing either, and is told of by whoever tries."""
    known = _read(home)
    entry = (user_id, str(path.absolute()))
    if entry not in known:
        with suppress(OSError):
            _write(home, [*known, entry])


def add_those_of(other: Home, home: Home) -> None:
    """Have a home know the files of another one, too. Blocks.

    Raises:
        OSError: The list cannot be written.
    """
    known = _read(home)
    if more := [entry for entry in _read(other) if entry not in known]:
        _write(home, [*known, *more])


def clean(
    home: Home, user_ids: Collection[str], says: Callable[[str], bool], *, everything: bool
) -> int:
    """Take what `says` finds out of the exports of a user, who had these ids; all of it, and so
    the files themselves, where `everything` is forgotten. Returns how many files changed.
    Blocks. Idempotent."""
    changed = 0
    left: list[tuple[str, str]] = []
    for user_id, path in _read(home):
        files = list(_files(Path(path)))
        if user_id in user_ids:
            for file in files:
                changed += _clean_file(file, says, everything=everything)
        if files and not (user_id in user_ids and everything):
            left.append((user_id, path))
    _write(home, left)
    if changed:
        logger.info("what was forgotten is out of %d exported files", changed)
    return changed


def _clean_file(file: Path, says: Callable[[str], bool], *, everything: bool) -> int:
    try:
        if everything:
            file.unlink()
            return 1
        if file.stat().st_size > LARGEST:
            return 0
        text = file.read_text(encoding="utf-8")
        if not says(text):
            return 0
        kept = [item for item in _items(text) if not says(item)]
        if says("".join(kept)):
            # It stands across lines: what cannot be cut goes as a whole.
            file.unlink()
        else:
            rewrite(file, "".join(kept).encode())
    except (OSError, UnicodeDecodeError) as exc:
        logger.warning("an exported file cannot be cleaned: %s", type(exc).__name__)
        return 0
    return 1


def _items(text: str) -> Iterator[str]:
    """Lines, each with those below it that are indented: a memory as exports write it."""
    item = ""
    for line in text.splitlines(keepends=True):
        if item and not line.startswith(INDENTS):
            yield item
            item = ""
        item += line
    if item:
        yield item


def _files(path: Path) -> Iterator[Path]:
    """The file, or those of the folder that gaia writes; none behind a link."""
    if path.is_symlink():
        return
    if path.is_dir():
        yield from (
            each for each in sorted(path.rglob("*.md")) if each.is_file() and not each.is_symlink()
        )
    elif path.is_file():
        yield path


def _read(home: Home) -> list[tuple[str, str]]:
    try:
        lines = home.exports_file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    known = []
    for line in lines:
        try:
            told = json.loads(line)
            known.append((str(told["user_id"]), str(told["path"])))
        except (ValueError, KeyError, TypeError):
            continue
    return known


def _write(home: Home, known: list[tuple[str, str]]) -> None:
    if not known:
        home.exports_file.unlink(missing_ok=True)
        return
    lines = (json.dumps({"user_id": user_id, "path": path}) for user_id, path in known)
    rewrite(home.exports_file, "".join(f"{line}\n" for line in lines).encode())
