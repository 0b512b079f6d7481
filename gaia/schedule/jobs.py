"""Jobs: what gaia does by itself, and when a daily one is due: told from its last run and from
the time it is, alone.

An hour that a day has twice, when the clocks are set back, counts for the first; one that
is left out, when they are set forward, is the moment at which it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfoNotFoundError

from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]

from gaia.store.job_runs import JobRun

RETRY_PAUSE = timedelta(hours=1)
"""How long after the start of a failed or interrupted run it is tried again."""

MOST_ATTEMPTS = 5
"""So often a run is tried: a job may be what crashes gaia. Then it waits for the next day."""

SAME_RUN = timedelta(hours=12)
"""Two times that are no further apart are one: the hour was changed, or the time zone."""


@dataclass(frozen=True, slots=True)
class Every:
    """At regular intervals, `after_start` for the first time. Nothing is made up for."""

    interval: timedelta
    after_start: timedelta


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day at this hour, in the machine's time zone. A run that was missed is made
    up for as soon as it can be; one that failed is tried again before the next day."""

    hour: int


@dataclass(frozen=True, slots=True)
class Job:
    """What is done, and when. Its name is what the ledger of runs knows it by."""

    name: str
    when: Every | Daily
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The next run: when it was or is due, and when it is to be begun. `is_news` says that
    the last run in the ledger tells nothing of it."""

    due_at: datetime
    run_at: datetime
    is_news: bool = False


def next_run(hour: int, last: JobRun | None, now: datetime, zone: tzinfo) -> Plan:
    """The next run of a job that is run daily at `hour`; if its time has come, that is now.

    Of several runs that were missed, it is the latest. A job of which nothing is known was
    never run: it waits for its hour, and what it misses from there on it makes up for.
    """
    missed, coming = last_due(hour, now, zone), next_due(hour, now, zone)
    if last is None or last.due_at > coming:
        return Plan(coming, coming, is_news=True)
    if last.started_at is None:
        due_at = missed if missed >= last.due_at else coming
        return Plan(due_at, due_at)
    if missed - last.due_at > SAME_RUN:
        return Plan(missed, missed)
    if coming - last.due_at <= SAME_RUN:
        coming = next_due(hour, coming, zone)
    again_at = last.started_at + RETRY_PAUSE
    if last.succeeded or last.attempts >= MOST_ATTEMPTS or again_at >= coming:
        return Plan(coming, coming)
    return Plan(last.due_at, again_at)


def last_due(hour: int, now: datetime, zone: tzinfo) -> datetime:
    """The last time that it was that hour of the day."""
    today = now.astimezone(zone).date()
    times = (_due_on(today - timedelta(days), hour, zone) for days in (0, 1, 2))
    return next(due_at for due_at in times if due_at <= now)


def next_due(hour: int, now: datetime, zone: tzinfo) -> datetime:
    """The next time that it is that hour of the day."""
    today = now.astimezone(zone).date()
    times = (_due_on(today + timedelta(days), hour, zone) for days in (0, 1, 2))
    return next(due_at for due_at in times if due_at > now)


def machine_zone() -> tzinfo:
    """The machine's time zone. Of one that has no name, as a `TZ` of POSIX's has none, only
    how far it is from UTC now."""
    try:
        zone: tzinfo = CronTrigger().timezone
    except ZoneInfoNotFoundError:
        return datetime.now(UTC).astimezone().tzinfo or UTC
    return zone


def _due_on(day: date, hour: int, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(hour), zone).astimezone(UTC)
