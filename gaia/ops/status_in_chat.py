"""The status as a person in a chat reads it: how gaia is, and what is theirs. Nothing of
other people, and nothing of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gaia.ops.report import StatusReport, UsageStatus
from gaia.ops.status_text import cost_in_words, part_in_words
from gaia.ops.words import counted, counted_turns, duration


@dataclass(frozen=True, slots=True)
class Own:
    """What is the person's own: the turns of this conversation and the messages in it that
    wait, how many of their earlier conversations are to be learned from and could not be,
    and what they used today. `is_owner` says that gaia's settings are their business."""

    turns: int
    waiting: int
    to_be_read: int = 0
    unreadable: int = 0
    used: UsageStatus | None = None
    is_owner: bool = False


def for_chat(report: StatusReport, own: Own) -> str:
    """What a person in a chat may know."""
    return "\n".join(_lines(report, own))


def _lines(report: StatusReport, own: Own) -> Iterator[str]:
    yield f"I'm up for {duration(report.uptime_seconds)}, version {report.version}."
    yield f"Model: {report.model.name}, {part_in_words(report.model)}"
    yield f"Long-term memory: {'on' if report.memory.enabled else 'off'}"
    yield f"This conversation: {counted_turns(own.turns)}, {own.waiting} waiting."
    if own.to_be_read or own.unreadable:
        failed = f", {own.unreadable:,} could not be read yet" if own.unreadable else ""
        waits = counted(own.to_be_read, "conversation", "conversations")
        yield f"Learning: {waits} to be read{failed}."
    if own.used is not None and own.used.calls:
        tokens = counted(own.used.tokens_in + own.used.tokens_out, "token", "tokens")
        cost = cost_in_words(own.used, report.currency)
        yield f"Today you have used {tokens}" + (f", {cost}." if own.used.cost else ".")
    for part in report.degraded:
        if part.name not in _told_elsewhere(report, own):
            yield f"Not working: {part.name}: {part.detail}"


def _told_elsewhere(report: StatusReport, own: Own) -> set[str]:
    """The parts that have a line of their own, or are not for this person: conversations
    that could not be read are those of all, settings, jobs and what all use are
    the owner's."""
    hidden = {report.model.name, "learning"}
    if not own.is_owner:
        hidden |= {"settings", report.budget.name, *(f"job {job.name}" for job in report.jobs)}
    return hidden
