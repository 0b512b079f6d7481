"""A clock that is wrong is doubted, one that is right is not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from gaia.ops.clock_watch import CONFIRMED_AFTER, LOOK_SECONDS, ClockWatch, Known, judge
from gaia.paths import Home
from gaia.store import job_runs
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.testing.clock import START, FakeClock

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
YEAR = 400 * DAY


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
async def database(home: Home) -> AsyncIterator[Database]:
    database = await open_database(home)
    yield database
    await database.close()


class Machine:
    """Starts gaia again and again on one home, with a clock that somebody sets."""

    def __init__(self, home: Home, database: Database) -> None:
        self._home = home
        self._database = database
        self.time = START

    def start(self) -> tuple[ClockWatch, WrongClock]:
        clock = WrongClock(self.time)
        return ClockWatch(self._home, self._database, clock), clock


class WrongClock(FakeClock):
    """A clock that can be set, beside one that never jumps."""

    ahead = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


@pytest.fixture
def machine(home: Home, database: Database) -> Machine:
    return Machine(home, database)


async def runs_for(watch: ClockWatch, clock: FakeClock, time: timedelta) -> str:
    """Let so much time pass, with its looks at the clock; returns the last doubt."""
    doubt = ""
    for _ in range(int(time.total_seconds() / LOOK_SECONDS)):
        clock.advance(LOOK_SECONDS)
        doubt = await watch.doubt()
    return doubt


async def test_a_new_home_trusts_its_clock(machine: Machine) -> None:
    watch, clock = machine.start()
    assert await watch.doubt() == ""
    assert watch.status().ok
    clock.advance(90 * DAY.total_seconds())
    assert await watch.doubt() == "", "gaia ran all that time"


async def test_a_start_long_after_the_newest_time_in_the_database_is_doubted(
    machine: Machine, database: Database
) -> None:
    await database.write(job_runs.note, "sweep", started_at=START, now=START, error="")
    machine.time = START + YEAR
    watch, _ = machine.start()
    assert "400 d 0 h ahead of what it was when gaia ran last" in await watch.doubt()
    assert "nothing is deleted by its age" in watch.status().detail


async def test_a_doubt_outlasts_restarts_and_what_is_written_meanwhile(
    machine: Machine, database: Database
) -> None:
    watch, _ = machine.start()
    await watch.doubt()
    machine.time = wrong = START + YEAR
    for _ in range(3):
        watch, clock = machine.start()
        assert await watch.doubt()
        await database.write(job_runs.note, "sweep", started_at=wrong, now=wrong, error="")
        assert await runs_for(watch, clock, HOUR)
    machine.time = START + 4 * HOUR
    watch, _ = machine.start()
    assert await watch.doubt() == "", "it is right again"


async def test_a_clock_that_is_set_while_gaia_runs_is_doubted_until_it_is_set_back(
    machine: Machine,
) -> None:
    watch, clock = machine.start()
    assert await runs_for(watch, clock, HOUR) == ""
    for ahead, side in ((YEAR, "ahead of"), (-YEAR, "behind")):
        clock.ahead = ahead
        assert side in await runs_for(watch, clock, 2 * HOUR)
        clock.ahead = timedelta(0)
        assert await watch.doubt() == ""


async def test_a_machine_that_was_off_for_a_month_is_believed_after_a_day(
    machine: Machine,
) -> None:
    watch, _ = machine.start()
    await watch.doubt()
    machine.time = START + 30 * DAY
    watch, clock = machine.start()
    assert await runs_for(watch, clock, CONFIRMED_AFTER - HOUR)
    machine.time = clock.now() + HOUR
    watch, clock = machine.start()
    assert await watch.doubt(), "a restart begins nothing again, and ends nothing"
    assert await runs_for(watch, clock, 2 * HOUR) == ""


async def test_small_changes_are_no_jumps(machine: Machine) -> None:
    watch, clock = machine.start()
    for _ in range(9):
        clock.ahead += DAY / 2
        assert await watch.doubt() == ""


@pytest.mark.parametrize("content", ["", "{", "[]", '{"at": 3}', '{"at": "2026-01-01T00:00:00"}'])
async def test_a_file_that_cannot_be_read_is_made_again(
    machine: Machine, home: Home, content: str
) -> None:
    home.clock_file.write_text(content)
    watch, _ = machine.start()
    assert await watch.doubt() == ""
    assert home.clock_file.stat().st_mode & 0o777 == 0o600


def test_a_clock_that_goes_back_and_forth_is_never_confirmed() -> None:
    known = Known(START)
    for number in range(100):
        known = judge(known, START + YEAR * (2 - number % 2), HOUR)
        assert known.doubted
