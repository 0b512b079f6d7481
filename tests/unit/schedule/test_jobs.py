"""When a daily job is run next: late ones once, failed ones again, and one run a day."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gaia.schedule.jobs import MOST_ATTEMPTS, Plan, last_due, next_due, next_run
from gaia.store.job_runs import JobRun

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def utc(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 6, day, hour, minute, tzinfo=UTC)


def ran(due_at: datetime, *, late: timedelta = timedelta(0), error: str = "") -> JobRun:
    begun = due_at + late
    return JobRun("job", due_at, started_at=begun, finished_at=begun, attempts=1, error=error)


def plan(last: JobRun | None, now: datetime, hour: int = 4) -> Plan:
    return next_run(hour, last, now, UTC)


def test_a_job_that_never_ran_waits_for_its_hour() -> None:
    assert plan(None, utc(10, 9)) == Plan(utc(11, 4), utc(11, 4), is_news=True)


def test_a_job_that_never_ran_makes_up_for_the_first_hour_that_it_missed() -> None:
    assert plan(JobRun("job", utc(11, 4)), utc(11, 9)) == Plan(utc(11, 4), utc(11, 4))


def test_a_job_that_ran_today_is_run_tomorrow() -> None:
    assert plan(ran(utc(10, 4)), utc(10, 9)) == Plan(utc(11, 4), utc(11, 4))


def test_of_several_runs_that_were_missed_the_latest_is_made_up_for() -> None:
    assert plan(ran(utc(10, 4)), utc(14, 9)) == Plan(utc(14, 4), utc(14, 4))


def test_a_run_that_was_late_is_not_made_up_for_again() -> None:
    late = ran(utc(10, 4), late=19 * HOUR)
    assert plan(late, utc(10, 23, 30)).due_at == utc(11, 4)
    assert plan(late, utc(11, 4)) == Plan(utc(11, 4), utc(11, 4))


def test_a_run_that_failed_is_tried_again_an_hour_after_it_began() -> None:
    assert plan(ran(utc(10, 4), error="no"), utc(10, 4, 5)) == Plan(utc(10, 4), utc(10, 5))


def test_a_run_that_gaia_did_not_outlive_is_tried_again() -> None:
    crashed = replace(ran(utc(10, 4)), finished_at=None)
    assert plan(crashed, utc(10, 4, 5)) == Plan(utc(10, 4), utc(10, 5))


def test_a_run_that_failed_too_often_waits_for_the_next_day() -> None:
    crashed = replace(ran(utc(10, 4)), finished_at=None, attempts=MOST_ATTEMPTS)
    assert plan(crashed, utc(10, 9)) == Plan(utc(11, 4), utc(11, 4))
    assert plan(crashed, utc(11, 5)) == Plan(utc(11, 4), utc(11, 4))


def test_a_run_that_failed_is_not_tried_again_when_the_next_one_is_due() -> None:
    failed = ran(utc(10, 4), late=23 * HOUR + HOUR / 2, error="no")
    assert plan(failed, utc(11, 3, 45)) == Plan(utc(11, 4), utc(11, 4))


@pytest.mark.parametrize(
    ("hour", "next_at"), [(6, utc(11, 6)), (2, utc(11, 2)), (23, utc(10, 23)), (16, utc(11, 16))]
)
def test_a_job_whose_hour_was_changed_is_not_run_again_at_once(
    hour: int, next_at: datetime
) -> None:
    assert plan(ran(utc(10, 4)), utc(10, 9), hour) == Plan(next_at, next_at)


def test_a_run_of_a_clock_that_was_far_ahead_counts_for_nothing() -> None:
    assert plan(ran(utc(10, 4) + 900 * DAY), utc(10, 9)) == Plan(
        utc(11, 4), utc(11, 4), is_news=True
    )


def test_a_clock_that_is_set_back_a_little_runs_nothing_twice() -> None:
    assert plan(ran(utc(10, 4)), utc(10, 3, 58)).due_at == utc(11, 4)


@pytest.mark.parametrize(
    ("day", "due_at"),
    [
        pytest.param((2026, 3, 29), datetime(2026, 3, 29, 1, tzinfo=UTC), id="left out"),
        pytest.param((2026, 10, 25), datetime(2026, 10, 25, 0, tzinfo=UTC), id="twice"),
    ],
)
def test_on_the_days_on_which_the_clocks_change_a_job_is_run_once(
    day: tuple[int, int, int], due_at: datetime
) -> None:
    last: JobRun | None = JobRun("job", due_at - DAY)
    runs = []
    now = datetime(*day, tzinfo=BERLIN).astimezone(UTC) - DAY
    for _ in range(3 * 24 * 4):
        found = next_run(2, last, now, BERLIN)
        if found.run_at <= now:
            runs.append(found.due_at)
            last = ran(found.due_at, late=now - found.due_at)
        now += HOUR / 4
    assert len(runs) == 3
    assert runs[1] == due_at


@pytest.mark.parametrize(
    "name", ["Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Cairo", "UTC"]
)
@pytest.mark.parametrize("year", [2010, 2026])
def test_every_day_has_each_hour_once(name: str, year: int) -> None:
    zone = ZoneInfo(name)
    for hour in (0, 2, 23):
        moment, times = datetime(year, 1, 1, tzinfo=UTC), []
        for _ in range(364):
            moment = next_due(hour, moment, zone)
            assert last_due(hour, moment, zone) == moment
            times.append(moment)
        days = {time.astimezone(zone).date() for time in times}
        assert len(days) == 364
        assert max(days) - min(days) == 363 * DAY


ONE_PLAN = """
from datetime import UTC, datetime
from gaia.schedule.jobs import machine_zone, next_run
print(next_run(4, None, datetime(2026, 1, 1, tzinfo=UTC), machine_zone()).due_at.tzname())
"""


@pytest.mark.parametrize("zone", ["CET-1CEST,M3.5.0,M10.5.0/3", "Nowhere/City"])
def test_a_time_zone_without_a_name_will_do(zone: str) -> None:
    environment = os.environ | {"TZ": zone}
    told = subprocess.run([sys.executable, "-c", ONE_PLAN], env=environment, capture_output=True)
    assert told.stdout == b"UTC\n", told.stderr
