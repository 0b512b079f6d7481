"""Text as it arrives: made storable, and cut to one line."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""What JSON can carry and no database takes: NUL, and half of a pair of surrogates."""


def clean(text: str) -> str:
    """Replace what cannot be stored in `text`."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int) -> str:
    """Put `text` into one line, cut behind `longest` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
