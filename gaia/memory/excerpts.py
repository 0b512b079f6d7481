"""Stored words as a line of a prompt or a reply: they cannot look like more."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set

from gaia import text as texts
from gaia.memory.text import terms

LONGEST_SHOWN = 300
"""Characters of a memory in a list."""

FORMATTING = re.compile(
    r"[*`\[<|~]|\\(?=[!-/:-@\[-`{-~])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])"
    r"|(?<=\b[A-Za-z]):(?=[*`\[<|~\\&_])",
    re.ASCII,
)
"""Where Markdown would begin: an underscore inside a word, say, is none. So is a colon behind a
single letter, or a backslash that is put behind it would make it the path of a Windows drive."""

_QUOTED = re.compile("\u201c[^\u201d]*\u201d")
_ESCAPED = re.compile(r"\\([*`\[<|~\\&_:])")

JOINERS = frozenset("\u200c\u200d")
"""Invisible, and part of words and emoji all the same."""


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line, without what is invisible; cut when it is longer."""
    shown = "".join(
        " " if unicodedata.category(char)[0] in "CZ" and char not in JOINERS else char
        for char in text
    )
    return texts.one_line(shown, longest)


def around(text: str, wanted: Set[str], longest: int) -> str:
    """The text on one line; of a longer one the part in which most of the wanted terms
    stand, the first of those."""
    shown = one_line(text)
    if len(shown) <= longest:
        return shown
    starts = range(0, len(shown) - longest // 2, max(1, longest // 2))
    best = max(starts, key=lambda start: len(wanted & terms(shown[start : start + longest]).keys()))
    start = min(best, len(shown) - longest)
    before, after = start > 0, start + longest < len(shown)
    part = shown[start + before : start + longest - after]
    return f"{'…' * before}{part}{'…' * after}"


def quoted(text: str, *, longest: int | None = LONGEST_SHOWN) -> str:
    """Somebody's words in quotes, cut when they are long."""
    shown = one_line(text, longest).replace("\u201c", '"').replace("\u201d", '"')
    return f"\u201c{FORMATTING.sub(_escaped, shown)}\u201d"


def unescaped(text: str) -> str:
    """The text for where nobody reads Markdown: what `quoted` put in quotes as it was before."""
    return _QUOTED.sub(lambda words: _ESCAPED.sub(r"\1", words[0]), text)


def _escaped(mark: re.Match[str]) -> str:
    return f"\\{mark[0]}"
