"""Text as it arrives, made fit to be stored: what cannot be is replaced, and what
shall be one line becomes one."""

from __future__ import annotations

import re

_UNREADABLE = re.compile(r"[\x00\ud800-\udfff]")
"""What JSON can carry and no database takes: NUL, and half of a pair of surrogates."""


def clean(text: str) -> str:
    """`text` without what cannot be stored."""
    return _UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int) -> str:
    """`text` in a line of at most `longest` characters and an ellipsis."""
    line = " ".join(clean(text).split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
