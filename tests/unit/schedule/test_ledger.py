"""The ledger of runs: what it keeps, over crashes, stops and restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from gaia.errors import ModelRefusedError, StoreError
from gaia.schedule.jobs import MOST_ATTEMPTS, Daily, Every, Job
from gaia.schedule.ledger import Ledger
from gaia.store import job_runs
from gaia.store.engine import Database
from gaia.store.job_runs import INTERRUPTED, JobRun, in_words
from gaia.testing.clock import FakeClock

AT_FOUR = Daily(4)
HOUR = 3600.0
DAY = 24 * HOUR


class Work:
    """Counts its runs; what they raise is what it was told to."""

    def __init__(self, *errors: Exception) -> None:
        self.runs = 0
        self._errors = list(errors)

    async def __call__(self) -> None:
        self.runs += 1
        if self._errors:
            raise self._errors.pop(0)


@pytest.fixture
def start(database: Database, clock: FakeClock) -> Callable[[], Ledger]:
    """A ledger as a process that starts has it."""
    return lambda: Ledger(database, clock, zone=lambda: UTC)


async def look(ledger: Ledger, run: Callable[[], Awaitable[None]], clock: FakeClock) -> None:
    """What the schedule does whenever it may be time."""
    plan = await ledger.plan("job", AT_FOUR)
    if plan.run_at <= clock.now():
        await ledger.run(Job("job", AT_FOUR, run), plan)
        await ledger.plan("job", AT_FOUR)


async def kept(database: Database) -> JobRun:
    (run,) = await database.read(job_runs.all)
    return run


async def look_each_hour(
    ledger: Ledger, run: Callable[[], Awaitable[None]], clock: FakeClock, hours: int
) -> None:
    for _ in range(hours):
        await look(ledger, run, clock)
        clock.advance(HOUR)


async def test_a_job_runs_once_a_day_whenever_gaia_starts(start, database, clock):
    work = Work()
    for _ in range(3 * 24):
        await look(start(), work, clock)
        clock.advance(HOUR)
    assert work.runs == 3
    assert (await kept(database)).late == timedelta(0)


async def test_a_job_that_was_due_while_gaia_was_down_runs_once_and_says_how_late(
    start, database, clock, caplog
):
    caplog.set_level("INFO")
    work = Work()
    await look(start(), work, clock)
    clock.advance(2 * DAY)
    for _ in range(3):
        await look(start(), work, clock)
        clock.advance(HOUR)
    run = await kept(database)
    assert work.runs == 1
    assert run.due_at == datetime(2026, 1, 3, 4, tzinfo=UTC)
    assert run.late == timedelta(hours=8)
    assert run.next_at == datetime(2026, 1, 4, 4, tzinfo=UTC)
    assert "job job is run now, 8 h late" in caplog.text


async def test_a_job_that_fails_is_tried_again_hourly_but_not_for_ever(start, database, clock):
    work = Work(*[ValueError("somebody's words")] * 99)
    ledger = start()
    await look(ledger, work, clock)
    clock.advance(16 * HOUR)
    await look_each_hour(ledger, work, clock, 12)
    assert work.runs == MOST_ATTEMPTS
    run = await kept(database)
    assert (run.error, run.succeeded_at) == ("ValueError", None)
    assert run.next_at == datetime(2026, 1, 3, 4, tzinfo=UTC)
    await look_each_hour(ledger, work, clock, 24)
    assert work.runs == 2 * MOST_ATTEMPTS


async def test_a_job_that_failed_and_then_went_well_is_done(start, database, clock):
    work = Work(StoreError("no room"))
    ledger = start()
    await look(ledger, work, clock)
    clock.advance(16 * HOUR)
    await look(ledger, work, clock)
    assert (await kept(database)).error == "StoreError: no room"
    await look_each_hour(ledger, work, clock, 12)
    run = await kept(database)
    assert (work.runs, run.error, run.attempts) == (2, "", 2)
    assert run.succeeded_at is not None
    assert run.succeeded_at == run.finished_at


async def test_what_a_provider_said_is_not_kept(start, database, clock):
    await look(start(), Work(), clock)
    clock.advance(DAY)
    await look(start(), Work(ModelRefusedError("it quotes you", bare="it refused")), clock)
    assert (await kept(database)).error == "ModelRefusedError: it refused"


async def test_a_job_that_crashes_gaia_does_not_do_so_at_each_start(start, database, clock):
    crashes = 0
    await look(start(), Work(), clock)
    clock.advance(DAY)
    for _ in range(24 * 4):
        ledger = start()
        await ledger.take_up()
        plan = await ledger.plan("job", AT_FOUR)
        if plan.run_at <= clock.now():
            crashes += 1
            await database.write(job_runs.begin, "job", due_at=plan.due_at, now=clock.now())
        clock.advance(HOUR / 6)
    assert crashes == MOST_ATTEMPTS
    run = await kept(database)
    assert (run.error, run.finished_at, run.succeeded) == (INTERRUPTED, None, False)


async def test_a_job_that_gaia_stops_runs_after_the_next_start(start, database, clock):
    begun, never = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await never.wait()

    await look(start(), work, clock)
    clock.advance(DAY)
    for _ in range(MOST_ATTEMPTS + 1):
        begun.clear()
        task = asyncio.create_task(look(start(), work, clock))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    run = await kept(database)
    assert (run.started_at, run.attempts) == (None, 0)
    never.set()
    await look(start(), work, clock)
    assert (await kept(database)).succeeded


async def test_a_frequent_job_is_written_once_an_hour_and_when_that_changes(start, database, clock):
    work = Work()
    ledger = start()

    async def run_for(seconds: int) -> JobRun:
        for _ in range(seconds // 60):
            await ledger.run_often(Job("job", Every(timedelta(0), timedelta(0)), work))
            clock.advance(60)
        return await kept(database)

    first = await run_for(60)
    assert await run_for(50 * 60) == first
    assert (await run_for(10 * 60)).finished_at == clock.now() - timedelta(minutes=1)
    work = Work(ValueError("no"))
    assert (await run_for(60)).error == "ValueError"
    well = await run_for(60)
    assert (well.error, well.next_at) == ("", None)


async def test_a_job_that_is_there_no_longer_has_no_next_time(start, database, clock):
    await look(start(), Work(), clock)
    assert (await kept(database)).next_at is not None
    await start().keep_only(["another"])
    assert (await kept(database)).next_at is None


@pytest.mark.parametrize(
    ("minutes", "words"), [(7, "7 min"), (89, "89 min"), (240, "4 h"), (4320, "3 days")]
)
def test_a_length_of_time_in_words(minutes: int, words: str) -> None:
    assert in_words(timedelta(minutes=minutes)) == words
