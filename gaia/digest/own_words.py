"""Own words: where in what a user said a quote stands, and in which of their sentences.

What is learned is a sentence, whole, with those that are not understood without it or it
without them: so no negation, no subject and no condition of it is lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from gaia.digest.bounds import QUOTATION
from gaia.digest.plain import SAME_MARKS, may_be_order
from gaia.digest.sentences import (
    FEWEST_QUOTED,
    FEWEST_SIGNS,
    LETTER,
    UNSPACED,
    Attribution,
    Sentence,
    sentences,
)
from gaia.memory import credentials
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, normalise
from gaia.store.archive import ArchivedTurn

SHORTEST_UNSPACED = 2
"""Characters of a quote in a script that puts no space between words."""

LONGEST_PASSAGE = 300
"""Characters of the sentences that are learned together, at most."""

CLUSTER = regex.compile(r"\X")
AROUND = " \t\n\r.,;:!?…。、，！？؟\"'"  # noqa: RUF001
"""What a model may add to or take from the ends of a quote."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as it is compared; character `n` of it comes from `starts[n]` to `ends[n]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


class OwnWords:
    """What the user said in some turns: sentence by sentence, and to find quotes in."""

    def __init__(
        self,
        turns: Sequence[ArchivedTurn],
        *,
        in_group: bool = False,
        before: ArchivedTurn | None = None,
    ) -> None:
        said: defaultdict[int, list[Sentence]] = defaultdict(list)
        for each in sentences(turns, in_group=in_group, before=before):
            said[each.turn.archive_id].append(each)
        self._turns = [(_folded(each.words), said[each.archive_id]) for each in turns]
        self._passages = {
            each: passage
            for found in said.values()
            for passage in _passages(found)
            for each in passage
        }

    def __iter__(self) -> Iterator[Sentence]:
        for _, found in self._turns:
            yield from found

    def find(self, quote: str, *, alone: bool = False) -> Iterator[Sentence]:
        """The sentences in which a quote stands as whole words, the last place first, each
        joined with those that the quote goes on in and, unless wanted `alone`, with those that
        it is understood with; none where it is too short to mean anything. Case, white space,
        forms of letters and marks do not count."""
        sought = _folded(quote.strip(AROUND)).text
        if not _says_something(sought):
            return
        for folded, found in reversed(self._turns):
            for place in _places(folded.text, sought):
                start, end = folded.starts[place], folded.ends[place + len(sought) - 1]
                parts = [each for each in found if each.start < end and start < each.end]
                # What a question tells before it asks goes with the question.
                told = [each for each in parts if not each.asks and each.end >= end]
                parts = [each for each in told if each.start <= start] or parts
                if not alone:
                    parts = [each for part in parts for each in self._passages[part]]
                if parts:
                    yield _joined(parts, start, end)


def _passages(found: Sequence[Sentence]) -> Sequence[Sequence[Sentence]]:
    """The sentences of a turn, with those together that are understood together: one that does
    not stand alone with what comes before it, and whatever comes behind such a beginning with
    that. A question, a request, an order, a greeting and a credential are by
    themselves."""
    passages: list[list[Sentence]] = []
    for each in found:
        if passages and _belongs(each, passages[-1]):
            passages[-1].append(each)
        else:
            passages.append([each])
    return passages


def _belongs(sentence: Sentence, passage: Sequence[Sentence]) -> bool:
    first, last = passage[0], passage[-1]
    is_of_same = sentence.sender == first.sender and not (sentence.sender and not sentence.before)
    is_near = last.end <= sentence.start and sentence.end - first.start <= LONGEST_PASSAGE
    return (
        is_of_same
        and is_near
        and sentence.attribution is last.attribution
        and not any(
            each.asks
            or each.bids
            or may_be_order(each.text)
            or (LETTER.search(each.text) and is_pleasantry(each.text))
            for each in (last, sentence)
        )
        and all(
            credentials.find(text) is None
            for text in (last.text, sentence.text, f"{last.text} {sentence.text}")
        )
        and not (first.stands_alone and sentence.stands_alone)
    )


def _joined(parts: Sequence[Sentence], start: int, end: int) -> Sentence:
    """The sentences that a quote goes through, as one; material where the quote stands
    between quotation marks."""
    first = min(parts, key=lambda each: each.start)
    last = max(each.end for each in parts)
    text = first.turn.words[first.start : last]
    attribution = max(each.attribution for each in parts)
    if any(
        first.start + each.start() <= start
        and end <= first.start + each.end()
        and _is_long(each.group())
        for each in QUOTATION.finditer(text)
    ):
        attribution = Attribution.MATERIAL
    asks = all(each.asks for each in parts)
    return replace(first, text=text, attribution=attribution, asks=asks)


def _is_long(quotation: str) -> bool:
    """Whether there is more between quotation marks than a name."""
    signs = len(UNSPACED.findall(quotation))
    return signs >= FEWEST_SIGNS or (not signs and len(quotation.split()) >= FEWEST_QUOTED)


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
