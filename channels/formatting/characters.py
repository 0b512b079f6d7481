"""Single characters: which of them a messenger takes, shows, and counts.

A *cluster* is what a person takes for one character, such as a flag or a letter
with its accents (the extended grapheme cluster of Unicode's annex 29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, east_asian_width

import regex

_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_WIDE = re.compile("[\ufe0f\U0001f1e6-\U0001f1ff]")
"""What is shown as an emoji though its own width is narrow: a sign with the emoji
selector, and the letters of flags."""
_CLUSTER = regex.compile(r"\X")


def clean(text: str) -> str:
    """`text` with every line end as `\\n`, without control characters but `\\t`,
    and with U+FFFD for half a surrogate pair."""
    text = _LINE_ENDS.sub("\n", text)
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def is_blank(text: str) -> bool:
    """Whether a person sees nothing of `text`: white space and format characters alone."""
    return all(
        each.isspace() or category(each) in ("Cc", "Cf") or each in _BLANK_LETTERS for each in text
    )


def utf16_length(text: str) -> int:
    """Return how many 16-bit units `text` takes, which is what Telegram counts."""
    return len(text.encode("utf-16-le")) // 2


def display_width(text: str) -> int:
    """Return how many columns `text` takes in a monospaced font: ideographs and emoji take two."""
    if text.isascii():
        return len(text)
    return sum(_cluster_width(text[start:end]) for start, end in clusters(text, 0, len(text)))


def clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the clusters between two positions begin and end, one after the other."""
    for match in _CLUSTER.finditer(text, start, end):
        yield match.span()


def is_one_cluster(text: str) -> bool:
    """Whether a person takes `text` for one character."""
    return _CLUSTER.fullmatch(text) is not None


def _cluster_width(cluster: str) -> int:
    if _WIDE.search(cluster) or any(east_asian_width(each) in "WF" for each in cluster):
        return 2
    return 0 if category(cluster[0]) in ("Mn", "Me", "Cf") else 1
