"""Verifying: what one finding of a model may become, and what becomes of it where it may not.

Whatever a model claims, what passes stands in the user's own words, changes only what was
offered, names nobody and no figure that was not said, and holds no credential. What was
perhaps not said outright is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from gaia.memory import credentials
from gaia.memory.digest import certainty
from gaia.memory.digest.figures import Founded
from gaia.memory.digest.findings import Finding, Offer, Operation, Proposal, Window
from gaia.memory.digest.grounds import ROLES, Grounds, names, share_a_term
from gaia.memory.digest.passages import OwnWords, Passage
from gaia.memory.digest.senders import sender_of, senders
from gaia.memory.excerpts import one_line
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, normalise, storable, without
from gaia.store.memory_tables import MemoryKind, MemorySource

LEARNED = frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.RULE, MemoryKind.REMINDER})
STATEMENTS = frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE})
CONTEXTS = ("global", "work", "personal")

MOST_PLACES = 20
"""Places of a quote that are looked at."""

LONGEST_DETAIL = 80
"""Characters of a subject, a predicate or an object."""

FURTHEST_REMINDER = timedelta(days=5 * 366)
TRANSLATED_SHARE = 0.5
"""A text of which less was said tells it in another language, or makes it up."""

FEWEST_TERMS = 2
"""Content terms of a quote that can stand for itself."""

RULE_SHARE = 0.5
"""The part of a rule's content terms that were said: nobody slips in another rule."""


class Refusal(StrEnum):
    """Why a finding is not written."""

    KIND = "not a kind of memory that is learned"
    TARGET = "names nothing that was offered"
    NO_QUOTE = "its quote does not stand in the user's words"
    QUESTION = "its quote is part of a question"
    REQUEST = "its quote only asks for something"
    EMPTY = "says nothing, or far too much"
    CREDENTIAL = "looks like a key, a password or a card number"
    INVENTED = "names or figures that nobody said"
    ANOTHER = "tells of one person what another said"
    UNTIMELY = "a reminder without a time that is to come"
    OLDER = "said before what it would change"
    PROTECTED = "would change how the user wrote it themselves"
    UNCERTAIN = "not certain enough to change what is known"
    KNOWN = "known already"


class RefusedFinding(Exception):  # noqa: N818 - how a finding is left out, and no error
    """A finding may not be written."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason = reason


class Verifier:
    """Verifies the findings of one window against the user's words and the offers."""

    def __init__(self, window: Window, offers: Sequence[Offer]) -> None:
        self._window = window
        self._offers = {offer.number: offer for offer in offers}
        self._own = OwnWords(window.turns)
        self._said = Grounds([*(turn.words for turn in window.turns), window.user_name])
        self._name_terms = content_terms(window.user_name)
        self._senders = senders(window.turns) if window.in_group else frozenset()

    def proposal(self, found: Finding) -> Proposal:
        """What may be written of a finding.

        Raises:
            RefusedFinding: Nothing of it.
        """
        offer = self._offer(found)
        if found.kind not in LEARNED:
            raise RefusedFinding(Refusal.KIND)
        passage = self._passage(found)
        found, offer = self._fitted(found, offer, passage)
        text = self._text(found, offer, passage)
        held = self._is_uncertain(found, text, offer, passage)
        operation = found.operation
        if offer is not None:
            self._protect(operation, offer, passage)
            if held and operation is not Operation.SUPERSEDE:
                raise RefusedFinding(Refusal.UNCERTAIN)
            if held:
                operation, offer = Operation.ADD, None
        return Proposal(
            operation=operation,
            kind=found.kind,
            text=text,
            quote=passage.quote,
            turn_id=passage.turn.turn_id,
            archive_id=passage.turn.archive_id,
            said_at=passage.turn.said_at,
            target=None if offer is None else offer.target,
            subject=self._detail(found.subject, offer, passage),
            predicate=_shortened(found.predicate),
            object=self._detail(found.object, offer, passage),
            context=found.context if found.context in CONTEXTS else CONTEXTS[0],
            sensitive=found.sensitive,
            due_at=_due(found, passage),
            held=held,
        )

    def _offer(self, found: Finding) -> Offer | None:
        if found.operation is Operation.ADD:
            if found.target is not None:
                raise RefusedFinding(Refusal.TARGET)
            return None
        offer = None if found.target is None else self._offers.get(found.target)
        if offer is None:
            raise RefusedFinding(Refusal.TARGET)
        return offer

    def _passage(self, found: Finding) -> Passage:
        """The last place of the quote that tells something."""
        places = list(islice(self._own.find(found.quote), MOST_PLACES))
        if not places:
            raise RefusedFinding(Refusal.NO_QUOTE)
        tells = certainty.requests if found.kind is MemoryKind.RULE else _tells
        telling = next(filter(tells, places), None)
        if telling is None:
            raise RefusedFinding(Refusal.QUESTION)
        states = found.kind in STATEMENTS and found.operation is not Operation.RETRACT
        if states and certainty.only_asks_for_something(telling):
            raise RefusedFinding(Refusal.REQUEST)
        if is_pleasantry(telling.quote) or len(telling.quote) > LONGEST_MEMORY:
            raise RefusedFinding(Refusal.EMPTY)
        if _tells_a_credential(telling):
            raise RefusedFinding(Refusal.CREDENTIAL)
        return replace(telling, quote=storable(telling.quote))

    def _fitted(
        self, found: Finding, offer: Offer | None, passage: Passage
    ) -> tuple[Finding, Offer | None]:
        """The finding as what it can be: one that replaces what it has nothing to do with,
        or what it only adds to, is new; a rule that is not said to gaia is a preference."""
        if found.kind is MemoryKind.RULE and not certainty.speaks_to_gaia(passage.sentence):
            found = replace(found, kind=MemoryKind.PREFERENCE)
        if offer is None:
            return found, None
        about = f"{found.text} {found.predicate or ''} {passage.turn.words}"
        said = content_terms(about) - self._name_terms
        is_related = share_a_term(content_terms(offer.text) - self._name_terms, said)
        if found.operation is Operation.RETRACT:
            offered = without(offer.text, self._name_terms | ROLES)
            if not is_related or certainty.only_repeats(passage, offered):
                raise RefusedFinding(Refusal.UNCERTAIN)
            return replace(found, kind=offer.kind), offer
        adds = found.operation is Operation.SUPERSEDE and certainty.adds_something(passage)
        if not is_related or adds:
            return replace(found, operation=Operation.ADD, target=None), None
        return found, offer

    def _text(self, found: Finding, offer: Offer | None, passage: Passage) -> str:
        if found.operation is Operation.RETRACT and offer is not None:
            return offer.text
        text = one_line(storable(found.text))
        if not content_terms(text) or len(text) > LONGEST_MEMORY:
            raise RefusedFinding(Refusal.EMPTY)
        if credentials.find(text) is not None:
            raise RefusedFinding(Refusal.CREDENTIAL)
        return self._attributed(self._in_own_words(text, found, offer, passage), found, passage)

    def _attributed(self, text: str, found: Finding, passage: Passage) -> str:
        """In a group, the text with the name of who said it."""
        sender = sender_of(passage) if self._senders else None
        if sender is None or found.kind is MemoryKind.RULE:
            return text
        told, said = content_terms(text), content_terms(passage.sentence)
        if content_terms(sender) <= told:
            return text
        others = [content_terms(other) for other in self._senders - {sender}]
        if any(other and other <= told and not other <= said for other in others):
            raise RefusedFinding(Refusal.ANOTHER)
        return f"{sender}: {text}"

    def _grounds(self, offer: Offer | None) -> Grounds:
        return self._said if offer is None else self._said.and_also(offer.text)

    def _in_own_words(
        self, text: str, found: Finding, offer: Offer | None, passage: Passage
    ) -> str:
        """The text; the user's own words where it only tells them in another language, in
        words that nobody said, or with what may be a name that nobody did."""
        grounds, said_on = self._grounds(offer), passage.turn.said_at.date()
        quote = one_line(passage.quote)
        is_rule = found.kind is MemoryKind.RULE
        tells = certainty.speaks_to_gaia if is_rule else certainty.tells_of_oneself
        founded = grounds.judge(text, said_on)
        may_be_a_name = founded is Founded.PERHAPS or (founded is Founded.OPENER and not is_rule)
        is_reworded = grounds.share(text, self._name_terms) < TRANSLATED_SHARE
        if (
            not (is_reworded or may_be_a_name)
            or grounds.figures.judge(text, said_on)[0] is Founded.NOWHERE
            or len(content_terms(quote)) < FEWEST_TERMS
            or not tells(quote)
        ):
            return text
        is_told = founded is not Founded.NOWHERE and self._shares_a_term(text, passage)
        return text if is_told and not may_be_a_name else quote

    def _shares_a_term(self, text: str, passage: Passage) -> bool:
        quoted = content_terms(passage.quote)
        return share_a_term(
            content_terms(text) - self._name_terms, quoted - self._name_terms or quoted
        )

    def _is_uncertain(
        self, found: Finding, text: str, offer: Offer | None, passage: Passage
    ) -> bool:
        if found.operation is Operation.RETRACT:
            is_doubtful = certainty.is_supposed(passage, text) or certainty.is_quoted(passage)
            return is_doubtful or not found.is_stated
        grounds = self._grounds(offer)
        founded = grounds.judge(text, passage.turn.said_at.date())
        begins_a_rule = founded is Founded.OPENER and found.kind is MemoryKind.RULE
        if founded >= Founded.OPENER and not begins_a_rule:
            raise RefusedFinding(Refusal.INVENTED)
        needs_a_time = found.kind is MemoryKind.REMINDER or founded is Founded.RECKONED
        if found.kind is MemoryKind.RULE:
            told = certainty.without_orders(text)
            is_slipped_in = grounds.share(told, self._name_terms) < RULE_SHARE
            doubtful = (
                is_slipped_in or certainty.is_quoted(passage) or certainty.is_reported(passage)
            )
        elif found.kind is MemoryKind.REMINDER:
            doubtful = certainty.is_quoted(passage)
        else:
            doubtful = certainty.is_doubtful(passage, without(text, self._name_terms | ROLES))
        return (
            doubtful
            or not found.is_stated
            or founded is Founded.PERHAPS
            or not self._shares_a_term(text, passage)
            or (needs_a_time and not certainty.names_a_time(passage.sentence))
            or self._is_of_another(text, passage)
        )

    def _is_of_another(self, text: str, passage: Passage) -> bool:
        """Whether the text tells of somebody else what the user says of themselves."""
        if not certainty.speaks_of_oneself(passage.quote):
            return False
        told = content_terms(text)
        if self._name_terms and self._name_terms & told:
            return False
        said = Grounds([passage.sentence])
        sender = sender_of(passage) if self._senders else None
        named = [name for name in names(text) if normalise(name) not in normalise(sender or "")]
        return any(said.share(name) < 1 for name in named)

    def _protect(self, operation: Operation, offer: Offer, passage: Passage) -> None:
        """What is known yields to what was said later, and what the user wrote keeps its
        wording."""
        is_earlier_window = offer.target.memory_id is None
        if passage.turn.said_at <= offer.said_at and not is_earlier_window:
            raise RefusedFinding(Refusal.OLDER)
        if operation is Operation.UPDATE and offer.source is MemorySource.USER:
            raise RefusedFinding(Refusal.PROTECTED)

    def _detail(self, told: str | None, offer: Offer | None, passage: Passage) -> str | None:
        """A subject or an object, unless nobody said it."""
        detail = _shortened(told)
        if detail is None:
            return None
        founded = self._grounds(offer).judge(detail, passage.turn.said_at.date())
        return detail if founded is Founded.SAID else None


def _tells(passage: Passage) -> bool:
    return not certainty.asks(passage)


def _tells_a_credential(passage: Passage) -> bool:
    """Whether the sentence tells one, or is the value of one that the sentence before names."""
    if credentials.find(passage.sentence) is not None:
        return True
    before = passage.sentence_before
    continued = f"{before} {passage.sentence}"
    return credentials.find(before) is None and credentials.find(continued) is not None


def _shortened(detail: str | None) -> str | None:
    text = one_line(storable(detail or ""), LONGEST_DETAIL)
    return text if text and credentials.find(text) is None else None


def _due(found: Finding, passage: Passage) -> datetime | None:
    """When a reminder is due; only a time after it was said makes one."""
    if found.kind is not MemoryKind.REMINDER or found.operation is Operation.RETRACT:
        return None
    said_at = passage.turn.said_at
    if found.due_at is None or not said_at < found.due_at < said_at + FURTHEST_REMINDER:
        raise RefusedFinding(Refusal.UNTIMELY)
    return found.due_at
