"""The status report in words: the whole for the owner, the essence for a chat."""

from __future__ import annotations

import textwrap
from datetime import timedelta

from gaia.ops.report import (
    DigestsStatus,
    MemoryStatus,
    PartStatus,
    QueueStatus,
    StatusReport,
    WaitStatus,
)

COLUMNS = 80
SUBJECT = 11
"""The width of what a line is about: `outbox`, and the space behind it."""


def for_chat(
    report: StatusReport, *, turns: int, waiting: int, to_be_read: int = 0, unreadable: int = 0
) -> str:
    """What a person in a chat may know: nothing of other people. `to_be_read` and
    `unreadable` are how many of their own earlier conversations wait to be learned from,
    and how many could not be."""
    lines = [
        f"I'm up for {duration(report.uptime_seconds)}, version {report.version}.",
        f"Model: {_part(report.model)}",
        f"Long-term memory: {'on' if report.memory.enabled else 'off'}",
        f"This conversation: {counted_turns(turns)}, {waiting} waiting.",
    ]
    if to_be_read or unreadable:
        failed = f", {unreadable:,} could not be read yet" if unreadable else ""
        waits = counted(to_be_read, "conversation", "conversations")
        lines.append(f"Learning: {waits} to be read{failed}.")
    lines += [f"Not working: {_part(part)}" for part in report.degraded if part != report.model]
    return "\n".join(lines)


def counted_turns(turns: int) -> str:
    """A number of turns in words."""
    return counted(turns, "turn", "turns")


def counted(number: int, one: str, many: str) -> str:
    """A number of things in words."""
    return f"1 {one}" if number == 1 else f"{number:,} {many}"


def for_owner(report: StatusReport) -> str:
    """The whole report, a line a subject."""
    lines = [
        f"gaia {report.version}, process {report.pid}, up {duration(report.uptime_seconds)}"
        + ("" if report.ready else ", not ready"),
        f"home       {report.home}",
        f"model      {_part(report.model)}",
        *(f"channel    {_part(channel)}" for channel in report.channels),
        f"inbox      {_queue(report.inbox, 'unanswered')}, {report.running_turns} running",
        f"outbox     {_queue(report.outbox, 'not delivered')}",
        *map(_cause, report.outbox.causes),
        f"memory     {_memory(report.memory)}",
        f"learning   {_digests(report.digests)}",
        f"users      {report.users}",
    ]
    lines += [
        f"today      {used.user}: {used.calls} calls of {used.model}, "
        f"{used.tokens_in} tokens in, {used.tokens_out} out"
        for used in report.usage_today
    ]
    if report.degraded:
        lines.append("degraded   " + "; ".join(_part(part) for part in report.degraded))
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """A duration for people: `3 s`, `5 min`, `2 h 10 min`, `4 d 1 h`."""
    whole = timedelta(seconds=int(seconds))
    hours, minutes = whole.seconds // 3600, whole.seconds // 60 % 60
    if whole.days:
        return f"{whole.days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{whole.seconds} s"


def _part(part: PartStatus) -> str:
    return f"{part.name}, works" if part.ok else f"{part.name}, does not work: {part.detail}"


def _memory(memory: MemoryStatus) -> str:
    if not memory.enabled:
        return "off"
    words = [counted(memory.memories, "memory", "memories")]
    if memory.waiting:
        words.append(f"{memory.waiting} to be indexed")
    if memory.detail:
        words.append(memory.detail if memory.ok else f"the index does not work: {memory.detail}")
    return ", ".join(words)


def _digests(digests: DigestsStatus) -> str:
    if not digests.enabled:
        return "off"
    words = [f"{counted(digests.waiting, 'conversation', 'conversations')} to be read"]
    if digests.failed:
        words.append(f"{digests.failed} could not be")
    if digests.detail and not digests.failed:
        words.append(digests.detail)
    return ", ".join(words)


def _queue(queue: QueueStatus, given_up: str) -> str:
    text = f"{queue.waiting} waiting"
    if queue.oldest_seconds is not None:
        text += f", the oldest for {duration(queue.oldest_seconds)}"
    return text + (f", {queue.dead} {given_up}" if queue.dead else "")


def _cause(wait: WaitStatus) -> str:
    return textwrap.fill(
        f"{wait.waiting} {'waits' if wait.waiting == 1 else 'wait'}: {wait.cause}",
        COLUMNS,
        initial_indent=" " * SUBJECT,
        subsequent_indent=" " * (SUBJECT + 2),
    )
