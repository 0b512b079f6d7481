"""What can be told of a session without a model: sentences of the user's own.

The last resort when no model can read it. Nobody has understood what is found here, so
all of it is held until something else supports it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gaia.memory import credentials
from gaia.memory.digest import certainty
from gaia.memory.digest.findings import Checked, Operation, Proposal
from gaia.memory.digest.passages import sentences
from gaia.memory.digest.senders import SENDER
from gaia.memory.excerpts import one_line
from gaia.memory.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, storable
from gaia.store.archive import ArchivedTurn
from gaia.store.memory_tables import MemoryKind

MOST_STATEMENTS = 20
FEWEST_TERMS = 2
"""Content terms of a sentence that tells what a conversation is about."""

LONGEST_STATEMENT = 400
"""Characters of a sentence that is one statement; longer ones are no sentences."""

LONGEST_ABSTRACT = 200
LONGEST_TOPIC = 90
"""Characters of an abstract, and of a sentence in it."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    turn: ArchivedTurn
    sender: str
    text: str
    terms: frozenset[str]


def findings(turns: Sequence[ArchivedTurn], *, in_group: bool = False) -> Checked:
    """The sentences in which users tell of themselves, the most telling ones of a long
    session, in their order; and as the summary an abstract of it."""
    told: dict[frozenset[str], _Sentence] = {}
    for each in _sentences(turns, in_group=in_group):
        if certainty.tells_of_oneself(each.text) and len(each.text) <= LONGEST_STATEMENT:
            told[each.terms] = each
    most_telling = sorted(told.values(), key=lambda each: -len(each.terms))[:MOST_STATEMENTS]
    kept = [each for each in told.values() if each in most_telling]
    return Checked(abstract(turns, in_group=in_group), [_held(each) for each in kept], {})


def abstract(turns: Sequence[ArchivedTurn], *, in_group: bool = False) -> str:
    """What was talked about, in the words of it that say most, on one line; empty when
    nothing was."""
    said = [
        each for each in _sentences(turns, in_group=in_group) if len(each.terms) >= FEWEST_TERMS
    ]
    common = Counter(term for each in said for term in each.terms)
    chosen: list[int] = []
    room = LONGEST_ABSTRACT
    by_weight = sorted(range(len(said)), key=lambda index: -_weight(said[index], common))
    for index in by_weight:
        size = len(one_line(said[index].text, LONGEST_TOPIC)) + len(" / ")
        if size <= room and not any(said[index].terms <= said[other].terms for other in chosen):
            chosen.append(index)
            room -= size
    return " / ".join(one_line(said[index].text, LONGEST_TOPIC) for index in sorted(chosen))


def _sentences(turns: Sequence[ArchivedTurn], *, in_group: bool) -> Iterator[_Sentence]:
    """Those of the user's own sentences that say something and may be kept."""
    for turn in turns:
        sender = ""
        for found in sentences(turn.words):
            text = found.group().strip()
            named = SENDER.match(text) if in_group else None
            if named is not None:
                sender, text = named["name"], text[named.end() :].strip()
            terms = content_terms(text)
            if terms and not is_pleasantry(text) and credentials.find(text) is None:
                yield _Sentence(turn, sender, storable(text), terms)


def _weight(sentence: _Sentence, common: Counter[str]) -> float:
    """How much a sentence says of what is talked about: the frequencies of its terms, but
    not for being long."""
    return float(sum(common[term] for term in sentence.terms) / len(sentence.terms) ** 0.5)


def _held(sentence: _Sentence) -> Proposal:
    text = one_line(sentence.text)
    return Proposal(
        operation=Operation.ADD,
        kind=MemoryKind.FACT,
        text=f"{sentence.sender}: {text}" if sentence.sender else text,
        quote=sentence.text,
        turn_id=sentence.turn.turn_id,
        archive_id=sentence.turn.archive_id,
        said_at=sentence.turn.said_at,
        held=True,
    )
