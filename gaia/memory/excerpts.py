"""Memories as a line of a prompt or a reply: what somebody stored cannot look like more."""

from __future__ import annotations

import unicodedata

JOINERS = frozenset("\u200c\u200d")
"""Invisible, and part of words and emoji all the same."""


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line, without what is invisible; cut when it is longer."""
    shown = "".join(
        " " if unicodedata.category(char)[0] in "CZ" and char not in JOINERS else char
        for char in text
    )
    shown = " ".join(shown.split())
    if longest is None or len(shown) <= longest:
        return shown
    return f"{shown[: longest - 1]}…"
