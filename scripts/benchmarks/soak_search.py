"""Looks for words in all bytes of a home, also in those of its backups."""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from soak_people import SYLLABLES, WORD_START

PIECE_BYTES = 4_000_000
WORD = re.compile(rb"%s[a-z]{%d}" % (WORD_START.lower().encode(), 2 * SYLLABLES))
LONGEST = len(WORD_START) + 2 * SYLLABLES


def found(folder: Path, words: Collection[str]) -> dict[str, set[str]]:
    """Of made-up words those that stand in files below a folder, by the files' names."""
    wanted = {word.lower().encode() for word in words}
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    files = {str(path.relative_to(folder)): _words(path) & wanted for path in paths}
    return {name: {each.decode() for each in there} for name, there in files.items() if there}


def _words(path: Path) -> set[bytes]:
    there: set[bytes] = set()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for piece in _pieces(file):
            there.update(WORD.findall(piece))
    return there


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content in lower case; each piece begins with the end of the one before."""
    end = b""
    while piece := file.read(PIECE_BYTES):
        yield end + piece.lower()
        end = piece.lower()[1 - LONGEST :]
