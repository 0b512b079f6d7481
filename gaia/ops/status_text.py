"""The status report in words: for the owner a line a subject, and which of them are wrong, and
what a person in a chat reads.

How wide a line may be, and what colour it gets, is for who shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from gaia.ops.report import (
    FILE,
    ChannelStatus,
    DigestsStatus,
    JobStatus,
    MemoryStatus,
    ModelStatus,
    PartStatus,
    ProcessStatus,
    QueueStatus,
    StatusReport,
    UsageStatus,
)
from gaia.text import counted, counted_turns, duration, money

WORTH_SAYING_SECONDS = 300.0
"""A job that is less late is on time."""


class Tone(Enum):
    """Whether a line tells of something wrong."""

    PLAIN = auto()
    WARNING = auto()
    BAD = auto()


@dataclass(frozen=True, slots=True)
class Line:
    """What is told of one subject, or more of it than the line before tells. `name` is what
    of the subject the line is about, where it has several."""

    subject: str
    text: str
    tone: Tone = Tone.PLAIN
    name: str = ""


def for_owner(report: StatusReport) -> Sequence[Line]:
    """The whole report."""
    at = report.at
    return [
        Line(
            "gaia",
            f"{report.version}, process {report.pid}, up {duration(report.uptime_seconds)}"
            + ("" if report.ready else ", not ready"),
            Tone.PLAIN if report.ready else Tone.WARNING,
        ),
        Line("home", report.home),
        *database_lines(report.database),
        *(_process(process, report.at) for process in report.processes),
        _settings(report),
        *(_channel(channel, at) for channel in report.channels),
        *_model(report.model, at),
        *queue_lines("inbox", report.inbox, "unanswered", running=report.running_turns),
        *queue_lines("outbox", report.outbox, "not delivered"),
        _memory(report.memory),
        _learning(report.digests),
        *_others(report),
        *(_job(job, at) for job in report.jobs),
        _backup(report),
        *_today(report),
    ]


def database_lines(database: str, fault: str = "") -> Iterator[Line]:
    """Where it is, if that is not in the home, and why it does not answer, if so."""
    if database != FILE:
        yield Line("database", database)
    if fault:
        yield Line("database", f"does not work: {fault}", Tone.BAD)


def part_in_words(part: PartStatus) -> str:
    """Whether a part works, and why if it does not."""
    return "works" if part.ok else f"does not work: {part.detail}"


def _model_in_words(model: ModelStatus) -> str:
    """Whether its last call went well; before the first nobody knows."""
    is_unknown = model.ok and not model.was_tried
    return f"{model.name}, {'not asked yet' if is_unknown else part_in_words(model)}"


def time_since(time: datetime, at: datetime) -> str:
    """How long it is since `time`, none where that is to come yet."""
    return duration(max((at - time).total_seconds(), 0.0))


def _ago(time: datetime, at: datetime) -> str:
    return f"{time_since(time, at)} ago"


def _process(process: ProcessStatus, at: datetime) -> Line:
    held = counted(process.held, "conversation", "conversations")
    words = f"up {time_since(process.started_at, at)}, {held}"
    if process.leads:
        words += ", leads"
    if not process.lives:
        words += ", gives no sign any more"
    return Line("processes", words, Tone.PLAIN if process.lives else Tone.BAD, process.name)


def _settings(report: StatusReport) -> Line:
    since = time_since(report.settings.loaded_at, report.at)
    if report.settings.ok:
        return Line("settings", f"in use for {since}")
    return Line("settings", f"those of {since} ago are in use: {report.settings.detail}", Tone.BAD)


def _channel(channel: ChannelStatus, at: datetime) -> Line:
    words = part_in_words(channel)
    if channel.worked_at is not None:
        words += f", {'' if channel.ok else 'last '}heard from {_ago(channel.worked_at, at)}"
    if channel.is_stalled:
        words += "; it has stopped trying, a restart of gaia may help"
    return Line("channels", words, Tone.PLAIN if channel.ok else Tone.BAD, channel.name)


def _model(model: ModelStatus, at: datetime) -> Iterator[Line]:
    yield Line("model", _model_in_words(model), Tone.PLAIN if model.ok else Tone.BAD)
    if model.asked:
        yield Line("model", f"asked {model.asked}: its host takes no more", Tone.WARNING)
    if model.calls_today:
        words = f"{counted(model.calls_today, 'call', 'calls')} today"
        if model.failed_today:
            words += f", {model.failed_today:,} failed"
        if model.latency is not None:
            words += f"; an answer takes {_seconds(model.latency.median)}"
            if model.latency.p95 > model.latency.median:
                words += f", at times {_seconds(model.latency.p95)}"
        tone = Tone.WARNING if model.failed_today else Tone.PLAIN
        yield Line("model", words, tone)
    if model.ok and model.failed_at is not None:
        yield Line("model", f"last failed {_ago(model.failed_at, at)}: {model.cause}")


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


def queue_lines(
    subject: str, queue: QueueStatus, given_up: str, *, running: int | None = None
) -> Iterator[Line]:
    """What waits in a queue, for how long and why. `given_up` is what is said of the dead."""
    words = [f"{queue.waiting:,} waiting"]
    if queue.oldest_seconds is not None:
        words.append(f"the oldest for {duration(queue.oldest_seconds)}")
    if queue.dead:
        words.append(f"{queue.dead:,} {given_up}")
    if running is not None:
        words.append(f"{running} running")
    yield Line(subject, ", ".join(words), Tone.WARNING if queue.dead else Tone.PLAIN)
    for cause in queue.causes:
        yield Line(subject, f"{counted(cause.waiting, 'waits', 'wait')}: {cause.cause}")


def _memory(memory: MemoryStatus) -> Line:
    if not memory.enabled:
        return Line("memory", "off")
    words = [counted(memory.memories, "memory", "memories")]
    if memory.waiting:
        lag = f"{memory.waiting:,} to be indexed"
        if memory.oldest_seconds is not None:
            lag += f" for {duration(memory.oldest_seconds)}"
        words.append(lag)
    if memory.detail:
        words.append(memory.detail if memory.ok else f"the index does not work: {memory.detail}")
    return Line("memory", ", ".join(words), Tone.PLAIN if memory.ok else Tone.BAD)


def _learning(digests: DigestsStatus) -> Line:
    if not digests.enabled:
        return Line("learning", "off")
    words = [f"{counted(digests.waiting, 'conversation', 'conversations')} to be read"]
    if digests.detail:
        words.append(digests.detail)
    return Line("learning", ", ".join(words), Tone.BAD if digests.failed else Tone.PLAIN)


def _others(report: StatusReport) -> Iterator[Line]:
    """Parts that are told of only when they do not work."""
    for part in (report.store, report.recall, report.forgetting):
        if not part.ok:
            yield Line(part.name, part_in_words(part), Tone.BAD)
    for part in (report.budget, report.clock, report.file_system):
        if not part.ok:
            yield Line(part.name, part.detail, Tone.WARNING)


def _job(job: JobStatus, at: datetime) -> Line:
    words = [job.state]
    if job.started_at is not None:
        words.append(_ago(job.started_at, at))
    if job.late_seconds >= WORTH_SAYING_SECONDS:
        words.append(f"{duration(job.late_seconds)} late")
    if job.next_at is not None:
        words.append(_next(job.next_at, at))
    text = ", ".join(words) + (f": {job.error}" if job.error else "")
    waits = job.state == "waits" and job.late_seconds >= WORTH_SAYING_SECONDS
    tone = Tone.BAD if job.error else Tone.WARNING if waits else Tone.PLAIN
    return Line("jobs", text, tone, job.name)


def _next(time: datetime, at: datetime) -> str:
    seconds = (time - at).total_seconds()
    return f"next in {duration(seconds)}" if seconds > 0 else "due now"


def _backup(report: StatusReport) -> Line:
    backup = report.backup
    if backup.last_at is None:
        nothing = (
            f"none yet in {backup.folder}" if backup.enabled else "none, and none is made by itself"
        )
        return Line("backup", nothing, Tone.PLAIN if backup.enabled else Tone.WARNING)
    off = "" if backup.enabled else ", and none is made by itself"
    return Line("backup", f"the last one {_ago(backup.last_at, report.at)}{off}")


def _today(report: StatusReport) -> Iterator[Line]:
    """Who used how much, in columns."""
    yield Line("users", f"{report.users:,}")
    rows = [_usage(used, report.currency) for used in report.usage_today]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for used, (calls, tokens, cost) in zip(report.usage_today, rows, strict=True):
        text = f"{calls:>{widths[0]}}  {tokens:>{widths[1]}}  {cost:>{widths[2]}}"
        yield Line("today", text, name=used.user)


def _usage(used: UsageStatus, currency: str) -> tuple[str, str, str]:
    tokens = used.tokens_in + used.tokens_out
    return (
        counted(used.calls, "call", "calls"),
        counted(tokens, "token", "tokens"),
        cost_in_words(used, currency),
    )


def cost_in_words(used: UsageStatus, currency: str) -> str:
    """What a user's tokens cost, as far as that is known."""
    if used.cost is None:
        return "cost not known"
    more = " and more" if used.unpriced else ""
    return money(used.cost, currency) + more


@dataclass(frozen=True, slots=True)
class Own:
    """What is the person's own: the turns of this conversation and the messages in it that
    wait, how many of their earlier conversations are to be learned from and could not be,
    and what they used today; the context that they are in, empty without one, and whether they
    are incognito. `is_owner` says that gaia's settings are their business."""

    turns: int
    waiting: int
    to_be_read: int = 0
    unreadable: int = 0
    used: UsageStatus | None = None
    is_owner: bool = False
    context: str = ""
    is_incognito: bool = False


def for_chat(report: StatusReport, own: Own) -> str:
    """What a person in a chat may know."""
    return "\n".join(_lines(report, own))


def _lines(report: StatusReport, own: Own) -> Iterator[str]:
    yield f"I have been up for {duration(report.uptime_seconds)}, version {report.version}."
    yield f"Model: {_model_in_words(report.model)}"
    yield f"Long-term memory: {'on' if report.memory.enabled else 'off'}"
    yield f"This conversation: {counted_turns(own.turns)}, {own.waiting} waiting."
    if own.is_incognito:
        yield "Incognito: nothing of this conversation is kept. /incognito off ends it."
    if own.context:
        yield f"Context: {own.context}. /context off leaves it."
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
        hidden |= {"settings", report.budget.name, report.clock.name}
        hidden |= {f"job {job.name}" for job in report.jobs}
    return hidden
