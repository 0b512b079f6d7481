"""What can be told of a session without a model: sentences of the user's own.

With the embedded model this is all that is learned: one of its size finds nearly everything worth
keeping. Where a model is to read a session and cannot be reached, nobody has understood what is
found here, so all of it is pending until something else supports it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence

from gaia.digest.plain import tells_of_oneself
from gaia.digest.sentences import Attribution, Sentence, sentences
from gaia.digest.windows import SMALL_WINDOW_TOKENS
from gaia.memory import credentials
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import (
    Checked,
    Extracted,
    Extraction,
    Finding,
    Offer,
    Proposal,
    Window,
)
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.sentence_classifier import SentenceClassifier
from gaia.memory.text import content_terms, storable
from gaia.store.archive import ArchivedTurn
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import DIGEST, Usage

MOST = 30
"""Sentences that are kept of a session or a window."""

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


class SentenceExtractor:
    """Implements `Extractor` without asking a model, for one of which `name` is too small."""

    asks_model = False
    window_tokens = SMALL_WINDOW_TOKENS

    def __init__(self, name: str) -> None:
        self._name = name

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What is worth keeping in the window, as it was said."""
        found = await asyncio.to_thread(_extraction, window)
        return Extracted(found, Usage(self._name, DIGEST, calls=0, tokens_in=0, tokens_out=0))


def findings(turns: Sequence[ArchivedTurn], *, in_group: bool = False) -> Checked:
    """What is worth keeping of a session, pending; and as the summary an abstract of it. Takes
    some milliseconds for each sentence."""
    kept = worth_keeping(statements(turns, in_group=in_group))
    return Checked(abstract(turns, in_group=in_group), [*map(_pending, kept)], {})


def statements(
    turns: Sequence[ArchivedTurn], *, in_group: bool = False, before: ArchivedTurn | None = None
) -> Sequence[Sentence]:
    """The user's own sentences in some turns, which come after `before`, that neither ask nor
    bid as far as their form shows it, and were not pasted: of those of the same terms the
    last."""
    found: dict[Terms, Sentence] = {}
    for terms, sentence in _told(turns, in_group=in_group, before=before):
        is_material = sentence.attribution is Attribution.MATERIAL
        is_short = len(sentence.text) <= LONGEST_STATEMENT
        if is_short and not (sentence.asks or sentence.bids or is_material):
            found[terms] = sentence
    return list(found.values())


def worth_keeping(told: Sequence[Sentence]) -> Sequence[Sentence]:
    """Those that tell what still matters in months, and do not ask after all; of many those that
    most likely do. Takes some milliseconds for each."""
    if not told:
        return ()
    classifier = SentenceClassifier()
    worth = [_worth(classifier, each.text) for each in told]
    best = sorted(range(len(told)), key=lambda number: -worth[number])[:MOST]
    return [told[number] for number in sorted(best) if worth[number] > 0]


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


def _extraction(window: Window) -> Extraction:
    told = statements(window.turns, in_group=window.in_group, before=window.before)
    found = [Finding(MemoryKind.FACT, "", each.text) for each in worth_keeping(told)]
    return Extraction(abstract_so_far(window), found)


def _told(
    turns: Sequence[ArchivedTurn], *, in_group: bool, before: ArchivedTurn | None = None
) -> Iterator[tuple[Terms, Sentence]]:
    """Those of the user's own sentences that say something and may be kept."""
    for each in sentences(turns, in_group=in_group, before=before):
        terms = content_terms(each.text)
        if terms and not is_pleasantry(each.text) and credentials.find(each.text) is None:
            yield terms, each


def _worth(classifier: SentenceClassifier, sentence: str) -> float:
    nature = classifier(sentence)
    if nature is None:
        return float(tells_of_oneself(sentence))
    return 0.0 if nature.asks else nature.worth


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
