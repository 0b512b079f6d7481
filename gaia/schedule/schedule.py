"""The schedule: APScheduler tells when it may be time, and a task of its own runs each job.

A job runs once however often it was due meanwhile: while the machine slept, gaia was down,
or it ran still. Daily jobs run one after the other, so that several that are late at once
leave the machine to the people who talk; what is done every few minutes waits for none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from gaia.logs import log_failure
from gaia.ports import Clock
from gaia.schedule.jobs import Daily, Every, Job, Plan
from gaia.schedule.ledger import Ledger

if TYPE_CHECKING:
    from gaia.schedule.watchful import WatchfulScheduler

logger = logging.getLogger(__name__)

LATE_AFTER_START = timedelta(minutes=5)
"""What was missed while gaia was down waits for so long after it starts: whoever writes then
is answered first, and a daemon that ends soon after each start begins no job."""

LOOK_AGAIN = timedelta(minutes=5)
"""The pause after which a job is looked at again when the ledger could not be used."""


@dataclass(slots=True)
class _Alarm:
    """Wakes the task of a job: it may be time, or the jobs are others now."""

    woken: asyncio.Event = field(default_factory=asyncio.Event)
    is_due: bool = False

    async def ring(self) -> None:
        self.is_due = True
        self.woken.set()


class Schedule:
    """Runs jobs at their times."""

    def __init__(
        self,
        jobs: Sequence[Job],
        ledger: Ledger,
        clock: Clock,
        *,
        late_after: timedelta = LATE_AFTER_START,
    ) -> None:
        self._jobs = {job.name: job for job in jobs}
        self._ledger = ledger
        self._clock = clock
        self._late_after = late_after
        self._started_at, self._started = clock.now(), clock.monotonic()
        self._alarms: dict[str, _Alarm] = {}
        self._one_daily_job = asyncio.Lock()
        self._replaced = asyncio.Event()

    def replace(self, jobs: Sequence[Job]) -> None:
        """Have these jobs from now on, in the place of the others.

        A job that runs comes to its end, and is not begun a second time meanwhile. One whose
        times are the same keeps its next one.
        """
        self._jobs = {job.name: job for job in jobs}
        self._replaced.set()

    async def run(self) -> None:
        """Run until cancelled. A daily job that is cut by that is run again."""
        await self._ledger.take_up()
        self._started_at, self._started = self._clock.now(), self._clock.monotonic()
        self._alarms.clear()
        # APScheduler reads the metadata of every package that is installed.
        from gaia.schedule.watchful import WatchfulScheduler

        scheduler = WatchfulScheduler(self._clock)
        scheduler.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self._replaced.clear()
                    self._begin_new(tasks, scheduler)
                    await self._retire_old()
                    await self._replaced.wait()
        finally:
            scheduler.shutdown()

    def _begin_new(self, tasks: asyncio.TaskGroup, scheduler: WatchfulScheduler) -> None:
        for alarm in self._alarms.values():
            alarm.woken.set()
        for name in self._jobs:
            if name not in self._alarms:
                alarm = self._alarms[name] = _Alarm()
                tasks.create_task(self._serve(name, alarm, scheduler), name=f"job-{name}")

    async def _retire_old(self) -> None:
        try:
            await self._ledger.keep_only(tuple(self._jobs))
        except Exception as exc:
            log_failure(logger, exc, "the ledger of jobs cannot be written")

    async def _serve(self, name: str, alarm: _Alarm, scheduler: WatchfulScheduler) -> None:
        """Run the job of a name for as long as there is one."""
        when: Every | Daily | None = None
        while (job := self._jobs.get(name)) is not None:
            if job.when != when:
                self._set_alarm(job, alarm, scheduler, is_first=when is None)
                when = job.when
            if alarm.is_due:
                alarm.is_due = False
                await self._attend(job, alarm, scheduler)
            else:
                await alarm.woken.wait()
                alarm.woken.clear()
        del self._alarms[name]
        scheduler.silence(name)

    def _set_alarm(
        self, job: Job, alarm: _Alarm, scheduler: WatchfulScheduler, *, is_first: bool
    ) -> None:
        match job.when:
            case Every(interval, after_start):
                after = after_start if is_first else interval
                scheduler.ring_every(job.name, interval, alarm.ring, after=after)
            case Daily():
                scheduler.silence(job.name)
                alarm.is_due = True

    async def _attend(self, job: Job, alarm: _Alarm, scheduler: WatchfulScheduler) -> None:
        again_in = LOOK_AGAIN
        try:
            if isinstance(job.when, Every):
                await self._ledger.run_often(job)
                return
            async with self._one_daily_job:
                again_in = await self._run_if_due(job, job.when)
        except Exception as exc:
            log_failure(logger, exc, "job %s cannot be run, or kept", job.name)
        if isinstance(job.when, Daily):
            scheduler.ring_at(job.name, self._clock.now() + again_in, alarm.ring)

    async def _run_if_due(self, job: Job, when: Daily) -> timedelta:
        """Run a daily job if its time has come; returns when to look again."""
        plan = await self._ledger.plan(job.name, when)
        if self._waits(plan) <= timedelta(0):
            await self._ledger.run(job, plan)
            plan = await self._ledger.plan(job.name, when)
        return self._waits(plan)

    def _waits(self, plan: Plan) -> timedelta:
        """How long until a run is to be begun; nothing, or less, for now."""
        waits = plan.run_at - self._clock.now()
        if plan.run_at > self._started_at:
            return waits
        up_for = timedelta(seconds=self._clock.monotonic() - self._started)
        return max(waits, self._late_after - up_for)
