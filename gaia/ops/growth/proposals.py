"""What figures propose to change, by plain rules: settings of the home, and rules of a person."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from gaia.ops.growth.figures import Figures
from gaia.settings.schema import Settings
from gaia.text import counted

SPENT_OFTEN = 3
"""Days on which a budget was used up, from which on it is too small."""

FEWEST_CALLS = 50
"""Calls that an average is taken of, at least."""

LONG_PROMPT = 12_000
"""Tokens that a call reads on average, from which on fewer turns are to be replayed."""

FEWEST_TURNS = 10
LONG_ANSWER = 500
"""Tokens that an answer has on average, from which on shorter ones are proposed."""

BRIEF = "Answer in a few sentences, unless asked for more."

FEWEST_DEAD = 5
DEAD_SHARE = 0.03
MOST_RETRIES = 5

FEWEST_QUESTIONS = 10
MISSED_SHARE = 0.5


class ProposalKind(StrEnum):
    """What a proposal changes."""

    SETTING = "setting"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change: `key` names it, `before` and `after` are a setting's values, or of a rule
    nothing and its words. `reason` tells the figures, and nobody's words."""

    kind: ProposalKind
    key: str
    before: JsonValue
    after: JsonValue
    reason: str


def propose(found: Figures, settings: Settings) -> Sequence[Proposal]:
    """What the figures propose, under these settings."""
    return [
        *_budgets(found, settings),
        *_learning(found, settings),
        *_prompts(found, settings),
        *_answers(found, settings),
        *_failures(found, settings),
        *_questions(found, settings),
        *_rules(found),
    ]


def _setting(key: str, before: JsonValue, after: JsonValue, reason: str) -> Proposal:
    return Proposal(ProposalKind.SETTING, key, before, after, reason)


def _budgets(found: Figures, settings: Settings) -> Iterator[Proposal]:
    limits = settings.limits
    for key, days, present, whose in (
        ("user_tokens_per_day", found.spent_days, limits.user_tokens_per_day, "somebody's"),
        ("tokens_per_day", found.all_spent_days, limits.tokens_per_day, "everybody's"),
    ):
        if days >= SPENT_OFTEN and present:
            reason = f"on {days} of {found.days} days {whose} tokens of the day were used up"
            yield _setting(f"limits.{key}", present, present * 3 // 2, reason)


def _learning(found: Figures, settings: Settings) -> Iterator[Proposal]:
    present = settings.memory.calls_per_day
    full = sum(calls >= present for calls in found.most_learned)
    if present and full >= SPENT_OFTEN:
        reason = (
            f"on {full} of {found.days} days learning took all the calls that it may, and "
            "conversations had to wait"
        )
        yield _setting("memory.calls_per_day", present, present * 2, reason)


def _prompts(found: Figures, settings: Settings) -> Iterator[Proposal]:
    present = settings.sessions.window_turns
    if found.calls < FEWEST_CALLS or found.tokens_in < LONG_PROMPT * found.calls:
        return
    if present > FEWEST_TURNS:
        mean = found.tokens_in // found.calls
        reason = f"a call reads {mean:,} tokens on average, most of them earlier turns"
        after = max(FEWEST_TURNS, present * 2 // 3)
        yield _setting("sessions.window_turns", present, after, reason)


def _answers(found: Figures, settings: Settings) -> Iterator[Proposal]:
    present = settings.model.instructions
    if found.calls < FEWEST_CALLS or found.tokens_out < LONG_ANSWER * found.calls:
        return
    if BRIEF not in present:
        mean = found.tokens_out // found.calls
        reason = f"an answer has {mean:,} tokens on average: shorter ones cost less and read faster"
        after = f"{present.rstrip()}\n{BRIEF}" if present.strip() else BRIEF
        yield _setting("model.instructions", present, after, reason)


def _failures(found: Figures, settings: Settings) -> Iterator[Proposal]:
    present = settings.model.retries
    if found.dead < FEWEST_DEAD or found.dead < DEAD_SHARE * found.received:
        return
    if present < MOST_RETRIES:
        reason = f"{found.dead:,} of {found.received:,} messages got no answer after all tries"
        yield _setting("model.retries", present, present + 1, reason)


def _questions(found: Figures, settings: Settings) -> Iterator[Proposal]:
    memory = settings.memory
    if not memory.enabled or found.questions < FEWEST_QUESTIONS:
        return
    known = found.questions - found.unanswered
    if not memory.auto_recall and known >= FEWEST_QUESTIONS:
        reason = (
            f"memories would have had to do with {known:,} of {found.questions:,} questions, and "
            "are not given to the model"
        )
        yield _setting("memory.auto_recall", False, True, reason)
    if not memory.auto_ingest and found.unanswered >= MISSED_SHARE * found.questions:
        reason = (
            f"{found.unanswered:,} of {found.questions:,} questions found no memory, and nothing "
            "is learned from conversations"
        )
        yield _setting("memory.auto_ingest", False, True, reason)


def _rules(found: Figures) -> Iterator[Proposal]:
    for request in found.requests:
        name = hashlib.sha256(request.text.encode()).hexdigest()[:6]
        reason = f"said {counted(request.times, 'time', 'times')}, on {request.days} days"
        yield Proposal(ProposalKind.RULE, f"rule-{name}", None, request.text, reason)
