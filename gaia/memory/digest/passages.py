"""Passages: where a quote stands in the user's own words.

Quotes are found however a model spells them: case, white space, forms of letters, of
quotation marks and of dashes do not count. What is told of a place is the user's own
spelling.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import regex

from gaia.memory.text import content_terms, normalise
from gaia.store.archive import ArchivedTurn

SHORTEST_UNSPACED = 2
"""Characters of a quote in a script that puts no space between words."""

FURTHEST = 2000
"""Characters of a sentence on either side of a quote that are looked at."""

SENTENCE = regex.compile(
    r"\S[^\n\r]*?(?:[.!?…؟।]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”]?|$)",  # noqa: RUF001
    regex.MULTILINE,
)
"""A sentence; an abbreviation such as `Dr.` ends one too."""

SAME_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
CLUSTER = regex.compile(r"\X")
LETTER = regex.compile(r"[\p{L}\p{N}\p{M}]")
AROUND = " \t\n\r.,;:!?…。、，！？؟\"'"  # noqa: RUF001
"""What a model may add to or take from the ends of a quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a turn. `quote` is its text, `before` and `after` are the rest of the
    sentences that it is part of."""

    turn: ArchivedTurn
    start: int
    before: str
    quote: str
    after: str

    @property
    def sentence(self) -> str:
        """The whole of the sentences."""
        return f"{self.before}{self.quote}{self.after}"

    @property
    def sentence_before(self) -> str:
        """The sentence that stands before these, without its end marks; empty if none does."""
        begin = self.start - len(self.before)
        earlier = [each.group() for each in sentences(self.turn.words[:begin][-FURTHEST:])]
        return earlier[-1].rstrip(AROUND) if earlier else ""


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as it is compared; character `n` of it comes from `starts[n]` to `ends[n]`."""

    text: str
    starts: Sequence[int] = field(default_factory=tuple)
    ends: Sequence[int] = field(default_factory=tuple)


class OwnWords:
    """What the user said in some turns, to find quotes in."""

    def __init__(self, turns: Sequence[ArchivedTurn]) -> None:
        self._turns = [_Words(turn) for turn in turns]

    def find(self, quote: str) -> Iterator[Passage]:
        """Where the quote stands as whole words, the last place first; nowhere when it is
        too short to mean anything."""
        sought = _folded(quote.strip(AROUND)).text
        if _says_something(sought):
            for words in reversed(self._turns):
                yield from words.find(sought)


class _Words:
    """The user's words of one turn, folded once."""

    def __init__(self, turn: ArchivedTurn) -> None:
        self._turn = turn
        self._folded = _folded(turn.words)
        self._sentences = [each.span() for each in sentences(turn.words)]
        self._ends = [end for _, end in self._sentences]

    def find(self, sought: str) -> Iterator[Passage]:
        """The places of a folded text, the last one first."""
        for start in _places(self._folded.text, sought):
            last = start + len(sought) - 1
            yield self._passage(self._folded.starts[start], self._folded.ends[last])

    def _passage(self, start: int, end: int) -> Passage:
        words, first, last = self._turn.words, start, end
        for begins, ends in islice(self._sentences, bisect_right(self._ends, start), None):
            if begins >= end:
                break
            first, last = min(first, begins), max(last, ends)
        first, last = max(first, start - FURTHEST), min(last, end + FURTHEST)
        return Passage(self._turn, start, words[first:start], words[start:end], words[end:last])


def sentences(text: str) -> Iterator[regex.Match[str]]:
    """The sentences of a text."""
    return SENTENCE.finditer(text)


def _says_something(folded: str) -> bool:
    if UNSPACED.search(folded):
        return len(folded) >= SHORTEST_UNSPACED
    return bool(content_terms(folded))


def _places(text: str, sought: str) -> Iterator[int]:
    start = text.rfind(sought)
    while start >= 0:
        if not _cuts_a_word(text, start) and not _cuts_a_word(text, start + len(sought)):
            yield start
        start = text.rfind(sought, 0, start + len(sought) - 1)


def _cuts_a_word(text: str, position: int) -> bool:
    around = text[max(0, position - 1) : position + 1]
    return (
        0 < position < len(text)
        and all(map(LETTER.match, around))
        and not any(map(UNSPACED.match, around))
    )


def _folded(text: str) -> _Folded:
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in CLUSTER.finditer(text):
        folded = _folded_cluster(cluster.group())
        if folded == " " and letters and letters[-1] == " ":
            continue
        letters += folded
        starts += [cluster.start()] * len(folded)
        ends += [cluster.end()] * len(folded)
    return _Folded("".join(letters), starts, ends)


def _folded_cluster(cluster: str) -> str:
    if cluster.isspace():
        return " "
    if cluster.isascii() and cluster.isalnum():
        return cluster.lower()
    return normalise(cluster.translate(SAME_MARKS)).translate(SAME_MARKS)
