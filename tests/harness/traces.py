"""Which files hold given words: the search that forgetting is measured by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path


def files_with(root: Path, *words: str) -> Sequence[str]:
    """The files below `root` that hold one of the words, in their content or their name,
    in any case and spelled as text or JSON have it. What vanishes meanwhile holds nothing."""
    sought = frozenset(spelling for word in words for spelling in _spellings(word))
    return sorted(
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.is_file() and any(spelling in _content(path) for spelling in sought)
    )


def _spellings(word: str) -> frozenset[bytes]:
    lowered = word.lower()
    escaped = json.dumps(lowered)[1:-1]
    return frozenset({lowered.encode(), escaped.encode(), lowered.encode("utf-16-le")})


def _content(path: Path) -> bytes:
    try:
        return (path.name.encode() + b"\n" + path.read_bytes()).lower()
    except FileNotFoundError:
        return b""
