"""Text as it arrives: made storable, and cut to one line."""

from __future__ import annotations

import re

from gaia import text as texts

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""What JSON can carry and no database takes: NUL, and half of a pair of surrogates."""


def clean(text: str) -> str:
    """Replace what cannot be stored in `text`."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int) -> str:
    """Put `text` into one line of at most `longest` characters, and make it storable."""
    return texts.one_line(clean(text), longest)
