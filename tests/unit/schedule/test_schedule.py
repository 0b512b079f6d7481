"""The schedule: jobs at their times, whatever the clock of the machine does."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

import pytest

from gaia.clock import SystemClock
from gaia.schedule.schedule import Daily, Every, Job, Schedule, WatchfulScheduler

SOON = timedelta(milliseconds=1)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


ONE_RUN = """
import asyncio
from datetime import timedelta
from gaia.clock import SystemClock
from gaia.schedule.schedule import Daily, Every, Job, Schedule

async def both_run():
    ran = asyncio.Barrier(3)
    jobs = [Job("sweep", Every(timedelta(hours=1), timedelta(0)), ran.wait),
            Job("upkeep", Daily(4, timedelta(0)), ran.wait)]
    schedule = asyncio.create_task(Schedule(jobs, SystemClock()).run())
    running = asyncio.create_task(ran.wait())
    await asyncio.wait((schedule, running), return_when=asyncio.FIRST_COMPLETED)
    assert running.done()

asyncio.run(both_run())
"""


class SetClock(SystemClock):
    """The machine's clock, set by `ahead`."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


class Work:
    """Counts its runs; the first ones fail."""

    def __init__(self, failures: int = 0) -> None:
        self.runs = 0
        self._failures = failures
        self._ran = asyncio.Event()

    async def __call__(self) -> None:
        self.runs += 1
        self._ran.set()
        if self.runs <= self._failures:
            raise ValueError("no")

    async def next(self) -> None:
        await self._ran.wait()
        self._ran.clear()


@asynccontextmanager
async def running(*jobs: Job) -> AsyncIterator[None]:
    task = asyncio.create_task(Schedule(jobs, SystemClock()).run())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_job_is_run_again_and_again() -> None:
    work = Work()
    async with running(Job("sweep", Every(SOON, SOON), work)):
        for _ in range(3):
            await work.next()


async def test_a_job_that_fails_is_run_again_and_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, fine = Work(failures=1), Work()
    async with running(
        Job("broken", Every(SOON, SOON), broken), Job("fine", Every(SOON, SOON), fine)
    ):
        await broken.next()
        await broken.next()
        await fine.next()
    assert "job broken failed" in caplog.text
    assert "ValueError" in caplog.text


async def test_a_daily_job_runs_once_after_the_start() -> None:
    work, sweep = Work(), Work()
    async with running(Job("upkeep", Daily(4, SOON), work), Job("sweep", Every(SOON, SOON), sweep)):
        await work.next()
        await sweep.next()
    assert work.runs == 1


async def test_a_clock_set_back_by_days_stalls_no_job() -> None:
    due = asyncio.Event()

    async def tell() -> None:
        due.set()

    clock = SetClock()
    scheduler = WatchfulScheduler(clock, {"job": HOUR})
    scheduler.start()
    scheduler.add_job(tell, "interval", hours=1, id="job")
    scheduler.wakeup()
    assert not due.is_set()
    clock.ahead = -2 * DAY
    scheduler.wakeup()
    await asyncio.wait_for(due.wait(), 10)
    scheduler.shutdown()


async def test_what_was_missed_while_the_machine_slept_is_made_up_for_once() -> None:
    work = Work()
    sleeping = SetClock()
    sleeping.ahead = -DAY
    schedule = Schedule([Job("sweep", Every(HOUR, HOUR / 2), work)], sleeping)
    task = asyncio.create_task(schedule.run())
    await asyncio.sleep(0)
    sleeping.ahead = timedelta(0)
    await work.next()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert work.runs == 1


@pytest.mark.parametrize("zone", ["CET-1CEST,M3.5.0,M10.5.0/3", "Nowhere/City"])
async def test_jobs_run_in_a_time_zone_without_a_name(zone: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ONE_RUN, env=os.environ | {"TZ": zone}
    )
    assert await process.wait() == 0
