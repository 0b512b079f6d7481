"""Checks: which sentence of the user's a finding is about, and whether it may be kept.

Code decides this. A finding becomes a `Claim` where its quote stands in the user's own
words, in a sentence that may be learned; what is kept of it is that sentence, and never
the model's wording. What a claim becomes once it was verified is told in `proposals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

import regex

from gaia.digest.bounds import spans
from gaia.digest.denial import Clause, Statement, clauses
from gaia.digest.extractive import abstract
from gaia.digest.own_words import OwnWords
from gaia.digest.sentences import Attribution, Sentence
from gaia.errors import UnusableExtractionError
from gaia.memory import credentials
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import Extraction, Finding, Offer, Window
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, normalise, storable
from gaia.store.memory_tables import MemoryKind

LEARNED = frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.RULE, MemoryKind.REMINDER})
STATEMENTS = frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE})

MOST_FINDINGS = 60
"""More than that nobody says in a window: the model has run wild."""

MOST_PLACES = 20
"""Places of a quote that are looked at."""

MOST_KNOWN = 3
"""Known statements that a claim is compared with."""

THE_USER = "user"
"""How statements name the user, where they do not write `I`."""

LONGEST_SUMMARY = 1000
"""Characters of a summary, at most."""

STOP = regex.compile(r"[.!?:]+\s+")

SAID_SHARE = 0.34
"""The part of a summary's content terms that come up in the conversation, at least."""


class Refusal(StrEnum):
    """Why a finding is not kept."""

    KIND = "not a kind of memory that is learned"
    NO_QUOTE = "its quote does not stand in the user's words"
    QUESTION = "its sentence asks"
    REQUEST = "its sentence asks for something"
    EMPTY = "says nothing, or far too much"
    CREDENTIAL = "looks like a key, a password or a card number"
    NOT_THEIRS = "was judged not to be the user's own words"
    TAKEN_BACK = "its sentence is denied by a later one"
    MOMENT = "was judged to be for the moment alone"
    UNREADABLE = "could not be read"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a model says of a sentence of the user's. `known` are the statements that the
    sentence may change, the one that the model named first."""

    finding: Finding
    sentence: Sentence
    known: Sequence[Offer] = ()


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a window, and how many findings were refused, by reason."""

    found: Sequence[Claim]
    refused: Counter[str]


def claims(extraction: Extraction, window: Window, offers: Sequence[Offer]) -> Claims:
    """Return what may be verified and kept of an extraction.

    Raises:
        UnusableExtractionError: There are more findings than can be.
    """
    _refuse_too_many(extraction)
    own = OwnWords(window.turns, in_group=window.in_group, before=window.before)
    found: list[Claim] = []
    refused: Counter[str] = Counter()
    if extraction.lost:
        refused[Refusal.UNREADABLE.value] = extraction.lost
    said = [
        (each, clauses(each.by_sender(each.text)))
        for each in own
        if not (each.asks or each.bids or each.attribution is Attribution.MATERIAL)
    ]
    names = content_terms(f"{THE_USER} {window.user_name}")
    for finding in extraction.findings:
        sentence = _sentence(finding, own)
        if isinstance(sentence, Sentence) and _is_taken_back(sentence, said, names):
            sentence = Refusal.TAKEN_BACK
        if isinstance(sentence, Refusal):
            refused[sentence.value] += 1
        else:
            found.append(Claim(finding, sentence, _known(finding, sentence, window, offers)))
    return Claims(found, refused)


def refuse_unusable(extraction: Extraction, window: Window) -> None:
    """Return if this can be a model's reading of the window.

    Raises:
        UnusableExtractionError: It cannot.
    """
    _refuse_too_many(extraction)
    if not normalise(extraction.summary) and not extraction.findings and has_content(window):
        raise UnusableExtractionError(
            "the model gave an empty summary of a window in which something was said: it is "
            "asked again"
        )


def _refuse_too_many(extraction: Extraction) -> None:
    if len(extraction.findings) > MOST_FINDINGS:
        raise UnusableExtractionError(
            f"the model found {len(extraction.findings)} things in one window, more than the "
            f"{MOST_FINDINGS} that may be: it is asked again"
        )


def has_content(window: Window) -> bool:
    """Whether more was said than greetings and thanks."""
    return not all(is_pleasantry(turn.asked) for turn in window.turns)


def summary(told: str, window: Window) -> str:
    """Those sentences of a summary whose figures and most of whose words come up in the
    conversation, and which hold no credential; where none is left, an abstract in the
    user's words."""
    turns = [text for turn in window.turns for text in (turn.asked, turn.answer)]
    said = content_terms("\n".join([*turns, window.so_far]))
    who = content_terms(f"{window.user_name} gaia user assistant")
    kept = [
        one_line(text)
        for _, text in spans(storable(told))
        if credentials.find(text) is None and _comes_up(content_terms(text) - who, said)
    ]
    here = one_line(" ".join(kept), LONGEST_SUMMARY)
    return here or window.so_far or abstract(window.turns, in_group=window.in_group)


def _comes_up(told: frozenset[str], said: frozenset[str]) -> bool:
    figures = {each for each in told if any(map(str.isdigit, each))}
    return bool(told) and figures <= said and len(told & said) >= SAID_SHARE * len(told)


def _sentence(finding: Finding, own: OwnWords) -> Sentence | Refusal:
    """The last sentence with the quote that may be learned; else why there is none."""
    if finding.kind not in LEARNED:
        return Refusal.KIND
    refusal = Refusal.NO_QUOTE
    for sentence in islice(own.find(finding.quote), MOST_PLACES):
        why_not = _refusal(finding, sentence)
        if why_not is None:
            return sentence
        refusal = why_not
    return refusal


def _refusal(finding: Finding, sentence: Sentence) -> Refusal | None:
    # An order or a wish to be reminded may be put as a question.
    if finding.kind in STATEMENTS and (sentence.bids or sentence.asks):
        return Refusal.REQUEST if sentence.bids else Refusal.QUESTION
    text = storable(sentence.text).strip()
    if is_pleasantry(text) or not content_terms(text) or len(text) > LONGEST_MEMORY:
        return Refusal.EMPTY
    if _tells_a_credential(sentence):
        return Refusal.CREDENTIAL
    return None


def _is_taken_back(
    sentence: Sentence, said: Sequence[tuple[Sentence, Sequence[Clause]]], names: frozenset[str]
) -> bool:
    """Whether its user denies a sentence later, word for word."""
    place = (sentence.turn.archive_id, sentence.end)
    statement = Statement(sentence.by_sender(sentence.text), names)
    return any(
        (each.turn.archive_id, each.start) >= place and statement.is_denied_by(told)
        for each, told in said
    )


def _tells_a_credential(sentence: Sentence) -> bool:
    """Whether the sentence tells one, or is the value of one that the words before name."""
    before = [text for _, text in spans(sentence.before)][-1:]
    together = STOP.sub(" ", " ".join([*before, sentence.text]))
    return any(credentials.find(text) is not None for text in (sentence.text, together))


def _known(
    finding: Finding, sentence: Sentence, window: Window, offers: Sequence[Offer]
) -> Sequence[Offer]:
    """What is known that the sentence may change: what the model named, and what shares
    most with it."""
    name = content_terms(window.user_name)
    said = content_terms(f"{finding.text}\n{sentence.text}") - name
    named = [offer for offer in offers if offer.number == finding.target]
    others = [
        (len((content_terms(offer.text) - name) & said), offer)
        for offer in offers
        if offer.number != finding.target
    ]
    nearest = sorted((each for each in others if each[0]), key=lambda each: -each[0])
    return [*named, *(offer for _, offer in nearest)][:MOST_KNOWN]
