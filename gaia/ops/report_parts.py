"""The parts of the status report that can be told whether or not gaia runs, and the report of one
that does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy.orm import Session

from gaia.core.budgets import SETTINGS, Level
from gaia.errors import SettingsError, StoreError
from gaia.ops.costs import By, add_up
from gaia.ops.report import (
    FILE,
    JobStatus,
    LatencyStatus,
    ModelStatus,
    PartStatus,
    QueueStatus,
    Report,
    UsageStatus,
    WaitStatus,
)
from gaia.ops.status_text import Line, Tone, database_lines, queue_lines, time_since
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import LimitsSettings
from gaia.store import inbox, outbox
from gaia.store.digests import DigestCounts
from gaia.store.job_runs import JobRun, JobState
from gaia.store.migrations import HEAD
from gaia.store.opener import database_name, inspecting, read_revision
from gaia.store.usage import Budget, DayOfUsage, Stage, Tariff
from gaia.text import counted, duration

if TYPE_CHECKING:
    from gaia.agent.models import ChatModel  # it loads the agent kit

FORGETTING_LATE = timedelta(minutes=10)
"""How long after its confirmation a forget request that is not carried out is a fault to
be told. A minute does as a rule; a turn that runs meanwhile is waited for."""


def model_status(model: ChatModel, now: datetime) -> ModelStatus:
    """How the model is."""
    health, told = model.health, model.health.report()
    today, latency = health.calls_on(now), health.latency
    return ModelStatus(
        name=model.describe(),
        ok=told.ok,
        detail=told.detail,
        was_tried=health.was_tried,
        calls_today=today.made,
        failed_today=today.failed,
        latency=latency and LatencyStatus.of(latency),
        failed_at=health.last_error,
        cause=health.cause,
        asked=model.known.describe(),
    )


def inbox_status(backlog: inbox.Backlog, now: datetime) -> QueueStatus:
    """What waits for an answer."""
    return QueueStatus(
        waiting=backlog.queued + backlog.running,
        dead=backlog.dead,
        oldest_seconds=age(backlog.oldest, now),
    )


def outbox_status(backlog: outbox.Backlog, now: datetime) -> QueueStatus:
    """What waits to be sent, and why."""
    return QueueStatus(
        waiting=backlog.open,
        dead=backlog.dead,
        oldest_seconds=age(backlog.oldest, now),
        causes=tuple(WaitStatus.of(each, cause=each.error) for each in backlog.causes),
    )


def usage_status(
    used: Sequence[DayOfUsage], names: Mapping[str, str], today: date
) -> tuple[UsageStatus, ...]:
    """What each user used today, those first who used most."""
    costs = add_up(used, names, by=By.USER, since=today, until=today)
    return tuple(
        UsageStatus.of(line, user=line.subject, cost=line.known_cost) for line in costs.lines
    )


def budget_status(
    used: Sequence[DayOfUsage], model: ChatModel, limits: LimitsSettings
) -> PartStatus:
    """Whether there are tokens left, of those that all may use today, for the model that
    answers. What one user has left is their own matter."""
    tokens = sum(each.usage.tokens for each in used if each.usage.tariff is not Tariff.FREE)
    level = Level(Budget.ALL, tokens, limits.tokens_per_day)
    is_used_up = model.tariff is not Tariff.FREE and level.stage is Stage.USED_UP
    detail = f"{SETTINGS[Budget.ALL]} is used up, and nobody is answered until midnight"
    return PartStatus(name="budget", ok=not is_used_up, detail=detail if is_used_up else "")


def job_status(run: JobRun, now: datetime) -> JobStatus:
    """How a job went."""
    state = run.state(running=True)
    late = max(now - run.due_at, timedelta(0)) if state is JobState.WAITS else run.late
    return JobStatus.of(run, state=state, late_seconds=late.total_seconds())


def digests_detail(counts: DigestCounts, used_up: Iterable[str], now: datetime) -> str:
    """The last failure of learning, and its remedy; or which settings let it wait."""
    if counts.failed_since is not None:
        since = duration((now - counts.failed_since).total_seconds())
        which = counted(counts.failed, "conversation", "conversations")
        return (
            f"{which} could not be read, for {since}: {counts.error}. "
            "It is tried again each day, or by 'gaia sessions digest --retry'"
        )
    if settings := sorted({*used_up}):
        are = "is" if len(settings) == 1 else "are"
        return f"{' and '.join(settings)} {are} used up: the rest is read tomorrow"
    return f"the last try failed: {counts.error}" if counts.error else ""


def forgetting_status(since: datetime | None, now: datetime) -> PartStatus:
    """Whether what was to be forgotten is."""
    late = since is not None and now - since > FORGETTING_LATE
    detail = "files still hold what was to be forgotten, the log says why" if late else ""
    return PartStatus(name="forgetting", ok=not late, detail=detail)


def age(time: datetime | None, now: datetime) -> float | None:
    """How many seconds ago it was."""
    return None if time is None else (now - time).total_seconds()


class OfflineReport(Report):
    """The home of a gaia that does not run, as of `at`. `last_sign_at` is when it last wrote
    to its log. The queues are None where the database tells nothing of them; `fault` is why it
    does not."""

    running: bool = False
    error: str
    home: str
    at: datetime
    last_sign_at: datetime | None = None
    inbox: QueueStatus | None = None
    outbox: QueueStatus | None = None
    database: str = FILE
    fault: str = ""


async def offline_report(home: Home, clock: Clock, error: str) -> OfflineReport:
    """The report; `error` says why there is none of a daemon. Nothing is written."""
    now, database, fault = clock.now(), FILE, ""
    waiting_in: QueueStatus | None = None
    waiting_out: QueueStatus | None = None
    try:
        database = await asyncio.to_thread(database_name, home)
        waiting_in, waiting_out = await asyncio.to_thread(_queues, home, now)
    except (SettingsError, StoreError) as exc:
        fault = str(exc)
    return OfflineReport(
        error=error,
        home=str(home.root),
        at=now,
        last_sign_at=await asyncio.to_thread(_last_sign, home),
        inbox=waiting_in,
        outbox=waiting_out,
        database=database,
        fault=fault,
    )


def _queues(home: Home, now: datetime) -> tuple[QueueStatus | None, QueueStatus | None]:
    if read_revision(home) != HEAD:
        return None, None
    with inspecting(home) as connection, Session(connection) as session:
        return (
            inbox_status(inbox.backlog(session), now),
            outbox_status(outbox.backlog(session), now),
        )


def _last_sign(home: Home) -> datetime | None:
    try:
        return datetime.fromtimestamp((home.logs / "gaia.log").stat().st_mtime, UTC)
    except OSError:
        return None


def for_owner(report: OfflineReport) -> Sequence[Line]:
    """The report in words."""
    return list(_lines(report))


def _lines(report: OfflineReport) -> Iterator[Line]:
    yield Line("gaia", "does not run", Tone.BAD)
    yield Line("home", report.home)
    yield from database_lines(report.database, report.fault)
    if report.last_sign_at is not None:
        quiet = time_since(report.last_sign_at, report.at)
        yield Line("log", f"the last line was written {quiet} ago")
    if report.inbox is not None:
        yield from queue_lines("inbox", report.inbox, "unanswered")
    if report.outbox is not None:
        yield from queue_lines("outbox", report.outbox, "not delivered")
