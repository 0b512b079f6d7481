"""The schedule: jobs at their times, whatever the clock does, and whatever is changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest

from gaia.clock import SystemClock
from gaia.schedule.jobs import Daily, Every, Job
from gaia.schedule.ledger import Ledger
from gaia.schedule.schedule import Schedule
from gaia.schedule.watchful import WatchfulScheduler
from gaia.store import job_runs
from gaia.store.engine import Database
from gaia.store.job_runs import JobRun
from gaia.testing.clock import until

SOON = timedelta(milliseconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
A_MOMENT = timedelta(seconds=0.2)
AT_NOON = Daily(12)

RunSchedule = Callable[..., AbstractAsyncContextManager[Schedule]]


class SetClock(SystemClock):
    """The machine's clock, set by `ahead`."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


class Zone:
    """A time zone in which it is noon so long after somebody asks for it first: APScheduler
    goes by the machine's time, and a test that needs an hour chooses where it is. On a busy
    machine an hour that was chosen earlier may be over when a job is planned."""

    def __init__(self, noon_in: timedelta) -> None:
        self._noon_in = noon_in
        self._chosen: timezone | None = None

    def __call__(self) -> timezone:
        if self._chosen is None:
            now = datetime.now(UTC)
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
            noon = (now + self._noon_in - midnight) % DAY
            self._chosen = timezone(timedelta(hours=12) - noon)
        return self._chosen

    def choose_again(self) -> None:
        """Have noon come so long after the next who asks."""
        self._chosen = None


class Work:
    """Counts its runs, which wait while they are held."""

    def __init__(self) -> None:
        self.runs = 0
        self.ends = 0
        self._free = asyncio.Event()
        self._free.set()

    async def __call__(self) -> None:
        self.runs += 1
        await self._free.wait()
        self.ends += 1

    def hold(self) -> None:
        self._free.clear()

    def let_go(self) -> None:
        self._free.set()


@pytest.fixture
def running(database: Database) -> RunSchedule:
    @asynccontextmanager
    async def run(
        *jobs: Job, late_after: timedelta = timedelta(0), zone: Zone | None = None
    ) -> AsyncIterator[Schedule]:
        ledger = Ledger(database, SystemClock(), zone=zone or Zone(noon_in=2 * HOUR))
        schedule = Schedule(jobs, ledger, SystemClock(), late_after=late_after)
        task = asyncio.create_task(schedule.run())
        yield schedule
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    return run


async def kept(database: Database, name: str) -> JobRun | None:
    return await database.read(job_runs.get, name)


async def was_missed(database: Database, *names: str) -> None:
    """Let jobs have been due two days ago, as an earlier process had it."""
    with database.writing() as session:
        for name in names:
            job_runs.expect(session, name, SystemClock().now() - 2 * DAY)
        job_runs.retire(session, all_but=())


async def looked_at(database: Database, name: str) -> None:
    """Wait until it is known when a job runs next."""
    while (run := await kept(database, name)) is None or run.next_at is None:
        pass


async def test_a_frequent_job_is_run_again_and_again(running: RunSchedule) -> None:
    work = Work()
    async with running(Job("sweep", Every(SOON, SOON), work)):
        await until(lambda: work.runs >= 3)


async def test_a_daily_job_runs_at_its_hour(running, database) -> None:
    work = Work()
    zone = Zone(noon_in=A_MOMENT)
    async with running(Job("upkeep", AT_NOON, work), late_after=HOUR, zone=zone):
        await until(lambda: work.ends == 1)
    run = await kept(database, "upkeep")
    assert run is not None
    assert run.due_at.astimezone(zone()).hour == 12
    assert run.started_at is not None
    assert timedelta(0) <= run.started_at - run.due_at < HOUR


async def test_a_late_job_waits_a_while_after_the_start(running, database) -> None:
    work = Work()
    await was_missed(database, "upkeep")
    async with running(Job("upkeep", AT_NOON, work), late_after=HOUR):
        await looked_at(database, "upkeep")
        for _ in range(3):
            # Whoever wants to write that a run begins comes in between.
            await database.write(lambda session: None)
        assert work.runs == 0
    async with running(Job("upkeep", AT_NOON, work), late_after=A_MOMENT):
        await until(lambda: work.ends == 1)
    run = await kept(database, "upkeep")
    assert run is not None
    assert run.late > 20 * HOUR


async def test_late_jobs_run_one_after_the_other_and_frequent_ones_beside_them(
    running, database
) -> None:
    backup, upkeep, sweep = Work(), Work(), Work()
    backup.hold()
    await was_missed(database, "backup", "upkeep")
    async with running(
        Job("backup", AT_NOON, backup),
        Job("upkeep", AT_NOON, upkeep),
        Job("sweep", Every(SOON, SOON), sweep),
    ):
        await until(lambda: backup.runs == 1)
        before = sweep.runs
        await until(lambda: sweep.runs > before + 2)
        assert upkeep.runs == 0
        backup.let_go()
        await until(lambda: upkeep.ends == 1)


async def test_jobs_that_are_replaced_neither_cut_nor_repeat_the_one_that_runs(
    running, database
) -> None:
    before, after = Work(), Work()
    before.hold()
    await was_missed(database, "backup")
    async with running(Job("backup", AT_NOON, before)) as schedule:
        await until(lambda: before.runs == 1)
        for hour in (12, 13):
            schedule.replace([Job("backup", Daily(hour), after)])
            await asyncio.sleep(0)
        schedule.replace([Job("backup", AT_NOON, after)])
        before.let_go()
        await until(lambda: before.ends == 1)
        await looked_at(database, "backup")
    assert (before.runs, after.runs) == (1, 0)


async def test_a_new_hour_counts_at_once(running, database) -> None:
    work = Work()
    zone = Zone(noon_in=A_MOMENT)
    async with running(Job("backup", Daily(20), work), zone=zone) as schedule:
        await looked_at(database, "backup")
        zone.choose_again()
        schedule.replace([Job("backup", AT_NOON, work)])
        await until(lambda: work.ends == 1)


async def test_new_jobs_begin_and_old_ones_end(running, database) -> None:
    old, new = Work(), Work()
    async with running(Job("old", Daily(20), old)) as schedule:
        await looked_at(database, "old")
        schedule.replace([Job("new", Every(SOON, SOON), new)])
        await until(lambda: new.runs > 1)
        schedule.replace([Job("new", Every(HOUR, HOUR), new), Job("old", AT_NOON, old)])
        await looked_at(database, "old")
        runs = new.runs
        await asyncio.sleep(0.02)
        assert new.runs <= runs + 1
    assert old.runs == 0


async def test_a_job_that_is_cut_by_the_end_runs_after_the_next_start(running, database) -> None:
    work = Work()
    work.hold()
    await was_missed(database, "backup")
    async with running(Job("backup", AT_NOON, work)):
        await until(lambda: work.runs == 1)
    work.let_go()
    async with running(Job("backup", AT_NOON, work)):
        await until(lambda: work.ends == 1)


async def test_what_was_missed_while_the_machine_slept_is_made_up_for_once(database) -> None:
    work = Work()
    sleeping = SetClock()
    sleeping.ahead = -DAY
    jobs = [Job("sweep", Every(HOUR, HOUR / 2), work)]
    task = asyncio.create_task(Schedule(jobs, Ledger(database, sleeping), sleeping).run())
    await until(lambda: work.ends == 1)
    sleeping.ahead = timedelta(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert work.runs == 1


async def test_a_clock_set_back_by_days_stalls_no_job() -> None:
    due = asyncio.Event()

    async def ring() -> None:
        due.set()

    clock = SetClock()
    scheduler = WatchfulScheduler(clock)
    scheduler.start()
    scheduler.ring_every("job", HOUR, ring, after=HOUR)
    scheduler.wakeup()
    assert not due.is_set()
    clock.ahead = -2 * DAY
    scheduler.wakeup()
    await asyncio.wait_for(due.wait(), 10)
    scheduler.shutdown()
