"""The schedule: APScheduler tells when a job is due, and a task of its own runs each.

A job runs once however often it was due meanwhile: while the machine slept, or while it
ran still. What it is late for, it is late for; it makes up for it once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfoNotFoundError

from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]
from apscheduler.triggers.interval import IntervalTrigger  # type: ignore[import-untyped]

from gaia.ports import Clock

logger = logging.getLogger(__name__)

LONGEST_DAY = timedelta(hours=25)
"""The one on which the clocks are set back for the winter."""


@dataclass(frozen=True, slots=True)
class Every:
    """At regular intervals, `after_start` for the first time."""

    interval: timedelta
    after_start: timedelta


@dataclass(frozen=True, slots=True)
class Daily:
    """At this hour of the day, in the machine's time zone, and `after_start` once."""

    hour: int
    after_start: timedelta


@dataclass(frozen=True, slots=True)
class Job:
    """What is done, and when."""

    name: str
    when: Every | Daily
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Due:
    """A job, and whether it is to be run."""

    job: Job
    event: asyncio.Event = field(default_factory=asyncio.Event)

    async def tell(self) -> None:
        self.event.set()


class Schedule:
    """Runs jobs at their times."""

    def __init__(self, jobs: Sequence[Job], clock: Clock) -> None:
        self._jobs = jobs
        self._clock = clock

    async def run(self) -> None:
        """Run until cancelled."""
        scheduler = WatchfulScheduler(self._clock, {job.name: _longest(job) for job in self._jobs})
        due = [_Due(job) for job in self._jobs]
        for each in due:
            self._add(scheduler, each)
        scheduler.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                for each in due:
                    tasks.create_task(_serve(each), name=f"job-{each.job.name}")
        finally:
            scheduler.shutdown()

    def _add(self, scheduler: AsyncIOScheduler, due: _Due) -> None:
        match due.job.when:
            case Every(interval, after_start):
                trigger = IntervalTrigger(seconds=interval.total_seconds(), timezone=UTC)
            case Daily(hour, after_start):
                trigger = CronTrigger(hour=hour, timezone=_machine_zone())
        scheduler.add_job(
            due.tell,
            trigger,
            id=due.job.name,
            next_run_time=self._clock.now() + after_start,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )


class WatchfulScheduler(AsyncIOScheduler):  # type: ignore[misc]
    """An APScheduler that a clock set back does not stall.

    It compares times of day: after a jump back of a day, the next time of each job would
    be a day further away than it can be. Such a job is due at once. It is looked at
    whenever the timer fires, which goes by a clock that never jumps.
    """

    def __init__(self, clock: Clock, longest: Mapping[str, timedelta]) -> None:
        super().__init__(timezone=UTC)
        self._clock = clock
        self._longest = longest

    def wakeup(self) -> None:
        """Look for what is due."""
        now = self._clock.now()
        for job in self.get_jobs():
            if job.next_run_time - now > self._longest[job.id]:
                logger.info("the clock was set back: job %s is due at once", job.id)
                job.modify(next_run_time=now)
        super().wakeup()


async def _serve(due: _Due) -> None:
    while True:
        await due.event.wait()
        due.event.clear()
        try:
            await due.job.run()
        except Exception:
            logger.exception("job %s failed, and is run again at its next time", due.job.name)


def _longest(job: Job) -> timedelta:
    return job.when.interval if isinstance(job.when, Every) else LONGEST_DAY


def _machine_zone() -> tzinfo | None:
    """The machine's time zone. Of one that has no name, as a `TZ` of POSIX's has none, only
    how far it is from UTC now."""
    try:
        zone: tzinfo = CronTrigger().timezone
    except ZoneInfoNotFoundError:
        return datetime.now(UTC).astimezone().tzinfo
    return zone
