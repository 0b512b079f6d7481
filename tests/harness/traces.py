"""Which files hold given words: the search that forgetting is measured by."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from gaia.paths import Home
from tests.harness.databases import content, url_of

DATABASE = "gaia.db"
"""Under this name all is found that a home keeps in PostgreSQL."""


def files_with(root: Path, *words: str) -> Sequence[str]:
    """The files below `root` that hold one of the words, in their content or their name,
    in any case and spelled as text or JSON have it. What vanishes meanwhile holds nothing."""
    sought = frozenset(spelling for word in words for spelling in _spellings(word))
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.is_file() and _holds(_content(path), sought)
    }
    url = url_of(Home(root))
    if url is not None and _holds(content(url).lower(), sought):
        found.add(DATABASE)
    return sorted(found)


def newest_in(home: Home) -> str:
    """The file that what is written goes to first."""
    return f"{DATABASE}-wal" if url_of(home) is None else DATABASE


def places_in(home: Home, *copies: str) -> list[str]:
    """Where that is which the database of a home holds, and held when `copies` of its file were
    made: there are none of a PostgreSQL database."""
    return sorted([*copies, DATABASE]) if url_of(home) is None else [DATABASE]


def all_bytes(home: Home) -> bytes:
    """Everything that is in a home, and in its database."""
    files = b"".join(file.read_bytes() for file in home.root.rglob("*") if file.is_file())
    url = url_of(home)
    return files if url is None else files + content(url)


def _holds(content: bytes, sought: Collection[bytes]) -> bool:
    return any(spelling in content for spelling in sought)


def _spellings(word: str) -> frozenset[bytes]:
    lowered = word.lower()
    escaped = json.dumps(lowered)[1:-1]
    return frozenset({lowered.encode(), escaped.encode(), lowered.encode("utf-16-le")})


def _content(path: Path) -> bytes:
    try:
        return (path.name.encode() + b"\n" + path.read_bytes()).lower()
    except FileNotFoundError:
        return b""
