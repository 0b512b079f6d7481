"""Own words: where in what a user said a quote stands, and in which of their sentences.

What is learned is a sentence, whole, with those that are not understood without it or it
without them: so no negation, no subject and no condition of it is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby

import regex

from gaia.digest.bounds import QUOTATION
from gaia.digest.denial import denies
from gaia.digest.plain import SAME_MARKS, may_be_order
from gaia.digest.sentences import (
    FEWEST_QUOTED,
    FEWEST_SIGNS,
    LETTER,
    SHORTEST_BEGINNING,
    UNSPACED,
    Attribution,
    Sentence,
    sentences,
)
from gaia.memory import credentials
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.text import bare_words, content_terms, normalise
from gaia.phrases import without_accents
from gaia.store.archive import ArchivedTurn

SHORTEST_UNSPACED = 2
"""Characters of a quote in a script that puts no space between words."""

LONGEST_PASSAGE = 300
"""Characters of the sentences that are learned together, at most."""

LONGEST_REST = 60
"""Characters of a sentence of another turn that is the rest of one, at most."""

ALIKE = 0.75
"""How much alike, from 0 to 1, a quote is to the sentence that a model has tidied for it. What is
learned is the sentence, so one too many does no harm."""

FEWEST_ALIKE = 5
"""Letters of a quote that is looked for by its likeness, at least."""

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
        every = sentences(turns, in_group=in_group, before=before)
        bursts = [list(found) for _, found in groupby(every, key=lambda each: each.first)]
        self._bursts = [(_folded(found[0].words), found) for found in bursts]
        self._passages = {each: passage for found in bursts for each, passage in _passages(found)}

    def __iter__(self) -> Iterator[Sentence]:
        for _, found in self._bursts:
            yield from found

    def find(self, quote: str) -> Iterator[Sentence]:
        """The sentences in which a quote stands as whole words, the last place first, each
        joined with those that the quote goes on in and with those that it is understood with;
        else those most like it, as somebody spells them. None where it is too short to mean
        anything. Case, white space, forms of letters and marks do not count."""
        sought = _folded(quote.strip(AROUND)).text
        if not _says_something(sought):
            return
        is_found = False
        for folded, found in reversed(self._bursts):
            for place in _places(folded.text, sought):
                start, end = folded.starts[place], folded.ends[place + len(sought) - 1]
                parts = [each for each in found if each.start < end and start < each.end]
                # What a question tells before it asks goes with the question.
                told = [each for each in parts if not each.asks and each.end >= end]
                parts = [each for each in told if each.start <= start] or parts
                is_found = True
                if parts:
                    yield _joined(parts, self._passages, start, end)
        tidied = _letters(sought)
        if not is_found and len(tidied) >= FEWEST_ALIKE:
            alike = [(_likeness(letters, tidied), each) for each, letters in self._learnable]
            for likeness, each in sorted(alike, key=lambda one: -one[0]):
                if likeness > ALIKE:
                    yield _joined([each], self._passages, each.start, each.end)

    @cached_property
    def _learnable(self) -> Sequence[tuple[Sentence, str]]:
        """The sentences that may be learned, the last first, with their letters."""
        found = [each for each in self if len(each.text) <= LONGEST_MEMORY]
        return [(each, _letters(each.text)) for each in reversed(found)]


def _passages(found: Sequence[Sentence]) -> Iterator[tuple[Sentence, Sequence[Sentence]]]:
    """Each sentence of a burst, with those that it is understood with: one that does not stand
    alone with what comes before it, and whatever comes behind such a beginning with that. A
    question, a request, a greeting and a credential are by themselves; an order has what tells
    when or for what it is meant beside it: `Tomorrow I see the judge. Be formal.`"""
    passages: list[list[Sentence]] = []
    for each in found:
        if passages and _belongs(each, passages[-1]):
            passages[-1].append(each)
        else:
            passages.append([each])
    beside = [[], *passages, []]
    for before, passage, behind in zip(beside, passages, beside[2:], strict=False):
        order, together = passage[0], passage
        if order.bids or (may_be_order(order.text) and not order.asks):
            together = [
                *(each for each in before[-1:] if _leads(each, order) and _is_near(order, each)),
                order,
                *(each for each in behind[:1] if _says_more(each) and _is_near(each, order)),
            ]
        for each in passage:
            yield each, [each] if each.asks and not each.bids else together


def _belongs(sentence: Sentence, passage: Sequence[Sentence]) -> bool:
    first, last = passage[0], passage[-1]
    if _is_by_itself(sentence) or not _is_near(sentence, last, since=first):
        return False
    if _is_by_itself(last):
        # `You know Bob? Lives in Porto.`
        return last.asks and not last.bids and _says_more(sentence) and not sentence.begins_anew
    is_rest = len(sentence.text) <= LONGEST_REST and not sentence.begins_anew
    is_rest |= sentence.turn is last.turn
    return (
        sentence.attribution is last.attribution
        and not (first.stands_alone and (sentence.stands_alone or not is_rest))
        and not denies(sentence.text, last.text, frozenset())
    )


def _leads(sentence: Sentence, order: Sentence) -> bool:
    """Whether a sentence says more of an order, or begins it: `Never ever`, `call me Annie`."""
    is_short = len(bare_words(sentence.text).split()) < SHORTEST_BEGINNING
    is_beginning = is_short and not order.before and may_be_order(sentence.text)
    return is_beginning or _says_more(sentence)


def _says_more(sentence: Sentence) -> bool:
    is_material = sentence.attribution is Attribution.MATERIAL
    return not (is_material or sentence.stands_alone or _is_by_itself(sentence))


def _is_near(sentence: Sentence, last: Sentence, since: Sentence | None = None) -> bool:
    """Whether a sentence follows another closely, of the same person and without a secret."""
    first = since or last
    is_of_same = sentence.sender == first.sender and not (sentence.sender and not sentence.before)
    is_near = last.end <= sentence.start and sentence.end - first.start <= LONGEST_PASSAGE
    together = (last.text, sentence.text, f"{last.text} {sentence.text}")
    return is_of_same and is_near and not any(map(credentials.find, together))


def _is_by_itself(sentence: Sentence) -> bool:
    text = sentence.text
    is_greeting = LETTER.search(text) is not None and is_pleasantry(text)
    return sentence.asks or sentence.bids or may_be_order(text) or is_greeting


def _joined(
    parts: Sequence[Sentence], passages: Mapping[Sentence, Sequence[Sentence]], start: int, end: int
) -> Sentence:
    """The sentences that a quote goes through, as one with their `passages`; material where
    the quote stands between quotation marks."""
    together = [each for part in parts for each in passages[part]]
    first = min(together, key=lambda each: each.start)
    last = max(together, key=lambda each: each.end)
    text = first.words[first.start : last.end]
    attribution = max(each.attribution for each in parts)
    if any(
        first.start + each.start() <= start
        and end <= first.start + each.end()
        and _is_long(each.group())
        for each in QUOTATION.finditer(text)
    ):
        attribution = Attribution.MATERIAL
    asks, bids = all(each.asks for each in parts), any(each.bids for each in parts)
    return replace(first, turn=last.turn, text=text, attribution=attribution, asks=asks, bids=bids)


def _is_long(quotation: str) -> bool:
    """Whether there is more between quotation marks than a name."""
    signs = len(UNSPACED.findall(quotation))
    return signs >= FEWEST_SIGNS or (not signs and len(quotation.split()) >= FEWEST_QUOTED)


def _says_something(folded: str) -> bool:
    if UNSPACED.search(folded):
        return len(folded) >= SHORTEST_UNSPACED
    return bool(content_terms(folded))


def _letters(text: str) -> str:
    """The letters and digits of a text, without accents: what a model tidies in a quote."""
    return "".join(LETTER.findall(without_accents(_folded(text).text)))


def _likeness(said: str, sought: str) -> float:
    """How much alike, from 0 to 1, some letters are to that part of others that is most so."""
    if sum((Counter(said) & Counter(sought)).values()) < len(sought) * ALIKE / (2 - ALIKE):
        return 0.0
    same = SequenceMatcher(None, said, sought, autojunk=False).get_matching_blocks()[:-1]
    stretch = same[-1].a + same[-1].size - same[0].a
    return 2 * sum(each.size for each in same) / (stretch + len(sought))


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
