"""Which phrase book a text is read by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import regex

from gaia.memory.when.book import LANGUAGES, UNSPACED, Book, open_book, written
from gaia.memory.when.folded import Folded

SCRIPTS = (
    ("ko", regex.compile(r"\p{Hangul}")),
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("zh", regex.compile(r"\p{Han}")),
)
WORD = regex.compile(r"[\w']+")
NEAR, WORTH = 1, 8
"""How many frequent words less a language may have, and how many characters of phrases that
it knows count as one."""

LONGEST_LOOK = 2_000
"""Characters by which the language is told."""


def book_of(text: Folded, language: str | None) -> Book | None:
    """The book of the language, or else of that whose words the text has: its frequent
    words count, and how much of it the book knows. `None` for a language without one."""
    if language:
        return open_book(language.lower().partition("-")[0])
    for name, script in SCRIPTS:
        if script.search(text.text):
            return open_book(name)
    words = WORD.findall(text.original[:LONGEST_LOOK].lower())
    counts = {name: sum(word in common for word in words) for name, common in _common().items()}
    most = max(counts.values())
    near = {name: count for name, count in counts.items() if count >= most - NEAR}
    return max(
        (book for name in near if (book := open_book(name))),
        key=lambda book: (near[book.language] + _known(book, text) / WORTH, near[book.language]),
    )


def _known(book: Book, text: Folded) -> int:
    return sum(piece.end - piece.start for piece in book.pieces(text) if piece.kind != "never")


@cache
def _common() -> Mapping[str, frozenset[str]]:
    """The frequent words of each language with spaces."""
    return {
        name: frozenset(written(name)["common"].split())
        for name in LANGUAGES
        if name not in UNSPACED
    }
