"""Proposals: what becomes of claims once they were verified.

Whatever was judged, the text of a memory is the sentence that its user said. A verdict
decides whether it waits for their yes, what it is found by, for how long it holds and
what it replaces; one that is missing, or wrong, cannot make it say anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from gaia.digest.check import STATEMENTS, Claim, Claims, Refusal
from gaia.digest.denial import clauses
from gaia.digest.sentences import Attribution, Sentence
from gaia.digest.verify import Effect, Verdict, Verdicts
from gaia.memory import credentials, when
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import Change, Checked, Proposal, Relation, Target
from gaia.memory.reminders.recurrence import Due, anchored
from gaia.memory.reminders.requests import MORNING, due_of
from gaia.memory.text import normalise, storable
from gaia.memory.when import Placed
from gaia.store.memory_tables import MemoryKind

Place = tuple[str, int, str]
"""The turn of a sentence, where it begins there, and what kind of memory it is."""


class Doubt(StrEnum):
    """Why what was said may not be meant: pasted, for one answer alone, or never said
    outright."""

    PASTED = "perhaps pasted"
    ONCE = "perhaps for once"
    GATHERED = "not said outright"


LONGEST_LABEL = 400
LONGEST_DETAIL = 80
"""Characters of a model's wording, and of a subject, a predicate or an object."""

INSTANT = timedelta(seconds=1)
NEAR = timedelta(days=3)
"""Within which lies what one word means, such as `tomorrow`."""


def checked(
    claims: Claims, verdicts: Verdicts, summary: str, zone: tzinfo, hour: int = MORNING
) -> Checked:
    """Return what is to be kept of some claims. Days are those of `zone`; a reminder for which
    only a day was named is due at `hour`."""
    refused = Counter(claims.refused)
    proposals: dict[Place, Proposal] = {}
    for number, claim in enumerate(claims.found):
        proposal = _proposal(claim, number, verdicts, zone, hour)
        if isinstance(proposal, Refusal):
            refused[proposal.value] += 1
            continue
        # Several findings of one sentence are one memory of it.
        group = "statement" if proposal.kind in STATEMENTS else proposal.kind.value
        key = (proposal.turn_id, claim.sentence.start, group)
        same = (place for place, each in proposals.items() if _says_same(each, proposal))
        place = key if key in proposals else next(same, key)
        known = proposals.get(place)
        proposals[place] = _together(known, proposal) if known else proposal
    return Checked(summary, list(proposals.values()), dict(refused))


def _proposal(
    claim: Claim, number: int, verdicts: Verdicts, zone: tzinfo, hour: int
) -> Proposal | Refusal:
    finding, sentence = claim.finding, claim.sentence
    verdict = verdicts.claims.get(number)
    is_same = verdict is Verdict.SAME
    if verdict is Verdict.NOT_THEIRS:
        return Refusal.NOT_THEIRS
    said_at = sentence.turn.said_at
    placed = when.find(sentence.text, said_at, zone)
    to_come = placed or when.find(sentence.text, said_at, zone, ahead=True)
    expires_at = _ends(placed, said_at) if verdict is Verdict.ONLY_NOW else None
    kind = finding.kind
    if kind is MemoryKind.RULE and verdict is Verdict.ONLY_NOW:
        return Refusal.MOMENT
    doubt = _doubt(claim, verdict, verdicts)
    pending = doubt is not None or (verdict is Verdict.ONLY_NOW and not expires_at)
    if kind is MemoryKind.RULE and not is_same and not pending:
        # Nobody has judged that it is to be followed: it is known, and not obeyed.
        kind = MemoryKind.PREFERENCE
    is_reminder = kind is MemoryKind.REMINDER
    named = finding.when or finding.quote
    due = _due(named, to_come, said_at, zone, hour) if is_reminder else None
    if is_reminder and due is None:
        kind = MemoryKind.FACT
    return Proposal(
        kind=kind,
        text=_text(sentence, placed, zone),
        quote=storable(sentence.text),
        turn_id=sentence.turn.turn_id,
        archive_id=sentence.turn.archive_id,
        said_at=said_at,
        label=_label(finding.text, sentence) if is_same else "",
        verdict=(doubt or verdict or ""),
        changes=_changes(claim, number, verdicts),
        relations=_relations(claim) if is_same or not verdicts.asked else (),
        sensitive=finding.sensitive,
        due_at=None if due is None else due.at,
        recurrence=None if due is None else anchored(due),
        zone=None if due is None else due.zone,
        expires_at=expires_at,
        is_past=verdict is Verdict.PAST,
        # Also one that nobody can place.
        names_time=bool(to_come),
        pending=pending,
    )


def _doubt(claim: Claim, verdict: Verdict | None, verdicts: Verdicts) -> Doubt | None:
    """Why a sentence waits for its user's yes, if it does."""
    attribution, is_same = claim.sentence.attribution, verdict is Verdict.SAME
    if attribution is Attribution.MATERIAL:
        return Doubt.PASTED
    if is_same:
        return None
    if claim.finding.kind is MemoryKind.RULE and _may_be_for_once(claim.sentence):
        return Doubt.ONCE
    if attribution is Attribution.AMONG_LINES:
        return Doubt.PASTED
    if attribution is Attribution.BESIDE_REQUEST and verdicts.asked:
        return Doubt.PASTED
    return None if claim.finding.is_stated else Doubt.GATHERED


def _may_be_for_once(sentence: Sentence) -> bool:
    """Whether a sentence may bid something of the moment. What somebody is not to do, they are
    not to do for longer."""
    is_forbidden = any(each.denials for each in clauses(sentence.text))
    return (sentence.bids or sentence.asks) and not is_forbidden


def _changes(claim: Claim, number: int, verdicts: Verdicts) -> Sequence[tuple[Target, Change]]:
    found: list[tuple[Target, Change]] = []
    for offer in claim.known:
        effect = verdicts.effects.get((number, offer.number))
        if effect is Effect.REPLACES:
            found.append((offer.target, Change.REPLACES))
        elif effect is Effect.SAME or (effect is None and offer.number == claim.finding.target):
            found.append((offer.target, Change.IF_COVERED))
    return found


def _text(sentence: Sentence, placed: Sequence[Placed], zone: tzinfo) -> str:
    """The sentence, with the day that each word such as `tomorrow` means, and in a group
    with who said it."""
    text = sentence.text
    # From the last on, so that the places before stay what they are.
    for each in reversed(placed):
        # Words that name one day together may stand apart.
        first, end = each.places[0]
        if each.recurrence is None and not _is_plain(text[first:end], each, sentence):
            text = f"{text[:end]} [{_days(each, zone)}]{text[end:]}"
    return sentence.by_sender(one_line(storable(text)))


def _days(placed: Placed, zone: tzinfo) -> str:
    first = placed.start.astimezone(zone).date()
    last = first if placed.end is None else (placed.end - INSTANT).astimezone(zone).date()
    return f"{first}" if last <= first else f"{first} to {last}"


def _is_plain(phrase: str, placed: Placed, sentence: Sentence) -> bool:
    """Whether words need no date beside them: a year is among them; or it is but the name
    of a day or a month, which may be no time at all: `Sunday is my favourite day`."""
    is_near = abs(placed.start - sentence.turn.said_at) < NEAR
    parts = phrase.replace("-", " ").split()
    names_year = any(part.isdigit() and len(part) == 4 for part in parts)
    return names_year or (len(phrase.split()) == 1 and not is_near)


def _label(claimed: str, sentence: Sentence) -> str:
    """A model's wording, if it is another than the sentence's."""
    label = one_line(storable(claimed), LONGEST_LABEL)
    is_other = normalise(label) != normalise(sentence.text)
    return label if is_other and credentials.find(label) is None else ""


def _relations(claim: Claim) -> Sequence[Relation]:
    finding = claim.finding
    relation = Relation(*map(_detail, (finding.subject, finding.predicate, finding.object)))
    return (relation,) if relation.subject or relation.object else ()


def _detail(told: str | None) -> str | None:
    text = one_line(storable(told or ""), LONGEST_DETAIL)
    return text if text and credentials.find(text) is None else None


def _ends(placed: Sequence[Placed], said_at: datetime) -> datetime | None:
    """When what holds for a while is over; None where no time was named for that."""
    ends = [each.end or each.start + timedelta(days=1) for each in placed]
    return max((end for end in ends if end > said_at), default=None)


def _due(
    named: str, placed: Sequence[Placed], said_at: datetime, zone: tzinfo, hour: int
) -> Due | None:
    """When a reminder is due, if the sentence names one time that is to come, or the model
    tells which of several is meant."""
    found = [(each, due_of(each, said_at, zone, hour)) for each in placed]
    coming = {due: each.start for each, due in found if due is not None}
    # What the model names is read as well: `day after tomorrow` holds `tomorrow`.
    starts = {each.start for each in when.find(named, said_at, zone, ahead=True)}
    days = {each.astimezone(zone).date() for each in starts}
    chosen = (
        [due for due, start in coming.items() if start in starts]
        or [due for due, start in coming.items() if start.astimezone(zone).date() in days]
        or list(coming)
    )
    return chosen[0] if len(chosen) == 1 else None


def _says_same(one: Proposal, other: Proposal) -> bool:
    return one.kind is other.kind and normalise(one.text) == normalise(other.text)


def _together(one: Proposal, other: Proposal) -> Proposal:
    """Two findings of the same sentence as one; it holds for as long as any of them."""
    labels = dict.fromkeys(filter(None, (one.label, other.label)))
    ends = (one.expires_at, other.expires_at)
    return replace(
        one,
        label=one_line("; ".join(labels), LONGEST_LABEL),
        verdict=one.verdict if one.verdict == other.verdict else "",
        changes=list(dict.fromkeys([*one.changes, *other.changes])),
        relations=list(dict.fromkeys([*one.relations, *other.relations])),
        sensitive=one.sensitive or other.sensitive,
        expires_at=None if None in ends else max(filter(None, ends)),
        is_past=one.is_past and other.is_past,
        pending=one.pending and other.pending,
    )
