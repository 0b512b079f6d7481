"""What can be told of a session without a model: sentences of the user's own.

The last resort when no model can read it. Nobody has understood what is found here, so
all of it is pending until something else supports it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from gaia.digest.plain import tells_of_oneself
from gaia.digest.sentences import Attribution, Sentence, sentences
from gaia.memory import credentials
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import Checked, Proposal, Window
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.sentence_classifier import SentenceClassifier
from gaia.memory.text import content_terms, storable
from gaia.store.archive import ArchivedTurn
from gaia.store.memory_tables import MemoryKind

MOST_STATEMENTS = 20
MOST_OFFERED = 30
"""Sentences among which a small model chooses."""

FEWEST_TERMS = 2
"""Content terms of a sentence that tells what a conversation is about."""

LONGEST_STATEMENT = 400
"""Characters of a sentence that is one statement; longer ones are no sentences."""

SEPARATOR = " / "
"""Stands between the topics of an abstract."""

LONGEST_ABSTRACT = 200
LONGEST_TOPIC = 90
"""Characters of an abstract, and of a sentence in it."""


Terms = frozenset[str]
"""The content terms of a sentence."""


def findings(turns: Sequence[ArchivedTurn], *, in_group: bool = False) -> Checked:
    """The sentences in which users tell of themselves, the most telling ones of a long
    session, in their order; and as the summary an abstract of it."""
    told = {
        terms: sentence
        for terms, sentence in _statements(turns, in_group=in_group)
        if tells_of_oneself(sentence.text)
    }
    kept = _most_telling(told, MOST_STATEMENTS)
    return Checked(abstract(turns, in_group=in_group), [_pending(each) for each in kept], {})


def worth_choosing(
    turns: Sequence[ArchivedTurn], *, in_group: bool = False, before: ArchivedTurn | None = None
) -> Sequence[Sentence]:
    """The statements in some turns, which come after `before`, that somebody may find worth
    keeping, the most telling ones of many, in their order: no questions, no requests, nothing
    that was pasted. Takes some milliseconds for each sentence."""
    told = dict(_statements(turns, in_group=in_group, before=before))
    return _most_telling(told, MOST_OFFERED)


def abstract(turns: Sequence[ArchivedTurn], *, in_group: bool = False) -> str:
    """What was talked about, in the words of it that say most, on one line; empty when
    nothing was."""
    said = [
        (terms, one_line(sentence.text, LONGEST_TOPIC))
        for terms, sentence in _told(turns, in_group=in_group)
        if len(terms) >= FEWEST_TERMS and sentence.attribution is not Attribution.MATERIAL
    ]
    common = Counter(term for terms, _ in said for term in terms)
    chosen: list[int] = []
    room = LONGEST_ABSTRACT
    by_weight = sorted(range(len(said)), key=lambda index: -_weight(said[index][0], common))
    for index in by_weight:
        terms, topic = said[index]
        size = len(topic) + len(SEPARATOR)
        if size <= room and not any(terms <= said[other][0] for other in chosen):
            chosen.append(index)
            room -= size
    return SEPARATOR.join(said[index][1] for index in sorted(chosen))


def abstract_so_far(window: Window) -> str:
    """What was talked about up to the end of a window: its abstract behind what came before."""
    here = abstract(window.turns, in_group=window.in_group)
    return SEPARATOR.join(filter(None, (window.so_far, here)))


def _statements(
    turns: Sequence[ArchivedTurn], *, in_group: bool, before: ArchivedTurn | None = None
) -> Iterator[tuple[Terms, Sentence]]:
    """Those of the user's own sentences that neither ask nor bid, and were not pasted."""
    for terms, sentence in _told(turns, in_group=in_group, before=before):
        is_material = sentence.attribution is Attribution.MATERIAL
        is_short = len(sentence.text) <= LONGEST_STATEMENT
        if is_short and not (sentence.asks or sentence.bids or is_material):
            yield terms, sentence


def _told(
    turns: Sequence[ArchivedTurn], *, in_group: bool, before: ArchivedTurn | None = None
) -> Iterator[tuple[Terms, Sentence]]:
    """Those of the user's own sentences that say something and may be kept."""
    for each in sentences(turns, in_group=in_group, before=before):
        terms = content_terms(each.text)
        if terms and not is_pleasantry(each.text) and credentials.find(each.text) is None:
            yield terms, each


def _most_telling(told: Mapping[Terms, Sentence], most: int) -> Sequence[Sentence]:
    """Those with the most terms, in their order; none that asks after all."""
    if not told:
        return []
    classifier = SentenceClassifier()
    by_terms = sorted(told, key=lambda terms: -len(terms))
    telling = (terms for terms in by_terms if not classifier.asks(told[terms].text))
    best = set(islice(telling, most))
    return [sentence for terms, sentence in told.items() if terms in best]


def _weight(terms: Terms, common: Counter[str]) -> float:
    """How much a sentence says of what is talked about: the frequencies of its terms, but
    not for being long."""
    return float(sum(common[term] for term in terms) / len(terms) ** 0.5)


def _pending(sentence: Sentence) -> Proposal:
    return Proposal(
        kind=MemoryKind.FACT,
        text=sentence.by_sender(one_line(storable(sentence.text))),
        quote=storable(sentence.text),
        turn_id=sentence.turn.turn_id,
        archive_id=sentence.turn.archive_id,
        said_at=sentence.turn.said_at,
        pending=True,
    )
