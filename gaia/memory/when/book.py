"""Phrase books: how a language names days and times.

A book is a file in `books/`: tables of words, and patterns in which `<weekday>` or `<n>`
stands for any word of a table. The names of weekdays and months are those of dateparser's
data, which has them for some 200 languages. What a pattern means its key says, which
`days` and `clock` read. A text is read by the book of its language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from typing import Any

import regex

from gaia.memory.when.folded import Folded, fold_pattern
from gaia.memory.when.generic import plain_book
from gaia.memory.when.patterns import Pattern, Writer, edges_of, patterns_of, unread_of

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "ru", "pl", "sv", "tr", "zh", "ja", "ko")
UNSPACED = frozenset({"zh", "ja", "ko"})
"""Languages whose words stand without a space between, or with particles on them."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
NTHS = (1, 2, 3, 4, -1)
"""What the words of `nths` mean: first to fourth, last."""

FULL_WEEKDAY, FULL_MONTH, SHORT = 5, 4, 3
"""Letters that a word has at least to be a name by itself; a shorter name counts beside a
day's number alone."""

ALSO = {"weekday": "bareday"}
"""Tables of words that count in patterns of their own, such as the short "segunda"."""

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


@dataclass(frozen=True, slots=True)
class Piece:
    """A phrase of one book in a text: what it means, and the words that it names."""

    book: Book
    kind: str
    start: int
    end: int
    words: Mapping[str, str]
    offset: int = 0
    """Of `day` and `day_part`: days from today."""

    def word(self, name: str) -> str:
        """The word of that name; empty where there is none."""
        return self.words.get(name, "")

    def value(self, name: str) -> Any:
        """What the word of that name means. The name is that of a table, with a digit behind it
        where it is not the only one.

        Raises:
            ValueError: There is none, or it is none of the table.
        """
        return self.book.value(name.rstrip("23"), self.word(name))

    def number(self, name: str, default: int = 0) -> int:
        """The number of that name, in figures or words."""
        word = self.word(name)
        if not word:
            return default
        return int(word) if word.isdecimal() else int(self.value(name))

    @property
    def count(self) -> int:
        """How many units it names: one, where it has no number."""
        return self.number("n", 1)

    @property
    def lengths(self) -> Sequence[tuple[str, int]]:
        """The units that it names, such as an hour and 30 minutes, and how many of each."""
        first = (self.value("unit"), self.count)
        return [first, (self.value("unit2"), self.number("n2"))] if self.word("unit2") else [first]


@dataclass(frozen=True, slots=True)
class Book:
    """The phrases of one language."""

    language: str
    tables: Mapping[str, Sequence[tuple[regex.Pattern[str], Any]]]
    patterns: Sequence[Pattern]
    glue: regex.Pattern[str]
    """What may stand between two phrases that belong together."""
    careful: regex.Pattern[str] | None = None
    """Names that are ordinary words in lower case."""
    past: regex.Pattern[str] | None = None
    """Words of the past tense, with their accents."""
    future: regex.Pattern[str] | None = None
    edges: Mapping[str, regex.Pattern[str]] = field(default_factory=dict)
    """Words before and after a phrase, such as "until"."""
    unread: Mapping[str, regex.Pattern[str]] = field(default_factory=dict)
    """Words beside a phrase by which it is another time than it seems."""
    day_comes_first: bool = False
    """Whether `3/4/2026` is in April for certain."""

    def value(self, table: str, word: str) -> Any:
        """What a word of a table means.

        Raises:
            ValueError: It is none of the table.
        """
        for expression, value in (*self.tables[table], *self.tables.get(ALSO.get(table, ""), ())):
            if expression.fullmatch(word):
                return value
        raise ValueError(f"{word!r} is no {table}")

    def weekdays(self, words: str) -> Sequence[int]:
        """The weekdays that an enumeration names."""
        whole = r"{}" if self.language in UNSPACED else r"(?<!\w)(?:{})s?(?!\w)"
        return [
            number
            for expression, number in self.tables["weekday"]
            if regex.search(whole.format(expression.pattern), words)
        ]

    def pieces(self, text: Folded) -> Sequence[Piece]:
        """All phrases in their order; of those that overlap the longest, and of equal ones
        that which is no time."""
        found = sorted(
            self._all(text), key=lambda piece: (piece.start - piece.end, piece.kind != "never")
        )
        taken = bytearray(len(text.text))
        chosen = []
        for piece in found:
            if not any(taken[piece.start : piece.end]):
                taken[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
                chosen.append(piece)
        return sorted(chosen, key=lambda piece: piece.start)

    def _all(self, text: Folded) -> Iterator[Piece]:
        for pattern in self.patterns:
            for match in pattern.expression.finditer(text.text):
                named = {k: v for k, v in match.groupdict().items() if v is not None}
                words = {**pattern.fixed, **({"d": "1"} if "first" in named else {}), **named}
                piece = Piece(self, pattern.kind, *match.span(), words, pattern.offset)
                if piece.start < piece.end and not self._is_ordinary_word(piece, match, text):
                    yield piece

    def _is_ordinary_word(self, piece: Piece, match: regex.Match[str], text: Folded) -> bool:
        """Whether what could be a name is a word such as "may" instead."""
        if self.careful is None:
            return False
        name = next((name for name in ("month", "mon", "wd") if name in piece.words), "")
        if not self.careful.fullmatch(piece.word(name)):
            return False
        written = text.source(*match.span(name))
        return written.islower() and not piece.words.keys() & {"sure", "y", "ordinal"}


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


@cache
def open_book(language: str) -> Book | None:
    """The book of a language, by ISO 639-1, or a plain one; `None` where there is none. The
    first call loads dateparser."""
    told = written(language) if language in LANGUAGES else plain_book(language)
    if told is None:
        return None
    tables = _tables(language, told)
    write = Writer(tables, told.get("ordinal", ""), spaced=language not in UNSPACED)
    return Book(
        language,
        tables,
        tuple(patterns_of(told, write)),
        regex.compile(rf"[\s,、(]*(?:(?:{fold_pattern(told['glue'])}){write.gap})*"),
        _compiled(told.get("careful")),
        _tense(told.get("past"), spaced=write.spaced),
        _tense(told.get("future"), spaced=write.spaced),
        dict(edges_of(told["phrases"], write)),
        dict(unread_of(told, write)),
        day_comes_first=_data(language)["date_order"] == "DMY",
    )


def written(language: str) -> Mapping[str, Any]:
    """What the file of a language holds."""
    file = resources.files(__package__).joinpath("books", f"{language}.toml")
    return tomllib.loads(file.read_text("utf-8"))


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


def _tables(language: str, told: Mapping[str, Any]) -> Mapping[str, Any]:
    names = _names(language, told)
    numbers = list(enumerate(told["numbers"], 1))[::-1]
    hours = list(enumerate(told.get("hours", told["numbers"]), 1))[::-1]
    numbers = [*((int(number), word) for number, word in told.get("tens", {}).items()), *numbers]
    articles = [(1, told["articles"])] if "articles" in told else []
    tables: dict[str, Sequence[tuple[str, Any]]] = {
        **names,
        "n": [(word, number) for number, word in [*numbers, *articles]],
        "h": [(word, number) for number, word in hours],
        "nth": [(word, nth) for nth, word in zip(NTHS, told.get("nths", ()), strict=False)],
        "unit": _swapped(told["units"]),
        "period": _swapped(told["periods"]),
        "part": _swapped(told["parts"]),
        "bareday": [(word, number) for number, word in enumerate(told.get("baredays", ()))],
        "ampm": _swapped(told.get("ampm", {"am": r"a\.?m\.?", "pm": r"p\.?m\.?"})),
    }
    return {
        name: [(regex.compile(fold_pattern(word)), value) for word, value in table if word]
        for name, table in tables.items()
    }


def _swapped(table: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    return [(word, value) for value, word in table.items()]


def _names(language: str, told: Mapping[str, Any]) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Names of weekdays and months: in full, and in short as well where a number stands by."""
    data = _data(language)
    own = {**told.get("names", {}), "short": told.get("short", SHORT)}
    without = set(fold_pattern(own.get("without", "")).split())
    names: dict[str, list[tuple[str, int]]] = {"weekday": [], "wd": [], "month": [], "mon": []}
    for keys, full, short, first in (
        (WEEKDAYS, "weekday", "wd", FULL_WEEKDAY),
        (MONTHS, "month", "mon", FULL_MONTH),
    ):
        for number, key in enumerate(keys):
            words = {regex.escape(fold_pattern(word)) for word in data[key]} - without
            shortest = own.get("short", SHORT) if keys is WEEKDAYS else SHORT
            words = {word for word in words if len(word) >= shortest and "1" not in word}
            whole = {word for word in words if len(word) >= first or key == "may"}
            mine = [fold_pattern(own[key])] if key in own else []
            value = number if keys is WEEKDAYS else number + 1
            names[full] += [("|".join([*mine, *sorted(whole, key=_by_length)]), value)]
            ends = [rf"{word}\.?" if word not in whole else word for word in words]
            names[short] += [("|".join([*mine, *sorted(ends, key=_by_length)]), value)]
    return names


def _data(language: str) -> Mapping[str, Any]:
    data: Mapping[str, Any] = import_module(
        f"dateparser.data.date_translation_data.{language}"
    ).info
    return data


def _by_length(word: str) -> tuple[int, str]:
    return -len(word), word


def _compiled(pattern: str | None) -> regex.Pattern[str] | None:
    return regex.compile(fold_pattern(pattern)) if pattern else None


def _tense(pattern: str | None, *, spaced: bool) -> regex.Pattern[str] | None:
    """An expression for texts as they stand: accents tell tenses apart."""
    edge = r"(?<!\w)(?:{})(?!\w)" if spaced else "{}"
    return regex.compile(edge.format(pattern), regex.IGNORECASE) if pattern else None
