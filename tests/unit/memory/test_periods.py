"""Days, months and years as people and models write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from gaia.errors import UnknownTimeError
from gaia.memory.dates import between, period

NOW = datetime(2026, 6, 17, 12, tzinfo=UTC)


def days(told: str, now: datetime = NOW) -> tuple[str, str]:
    found = period(told, now)
    return f"{found.begins.astimezone():%Y-%m-%d}", f"{found.ends.astimezone():%Y-%m-%d}"


@pytest.mark.parametrize(
    "told",
    [
        "2025-08",
        "2025/8",
        "August 2025",
        "in august 2025",
        "aug. 2025",
        "2025 August",
        "2025年8月",
        "août 2025",
        "АВГУСТ 2025",
        "August, 2025",
        "2025-08 ",
    ],
)
def test_a_month(told):
    assert days(told) == ("2025-08-01", "2025-09-01")


@pytest.mark.parametrize(
    "told",
    [
        "2025-08-05",
        "2025.8.5",
        "5.8.2025",
        "5 August 2025",
        "August 5th, 2025",
        "on the 5th of August 2025",
        "2025-08-05T14:30:00Z",
        "2025年8月5日",
    ],
)
def test_a_day(told):
    assert days(told) == ("2025-08-05", "2025-08-06")


@pytest.mark.parametrize(
    ("told", "begins"),
    [
        ("May", "2026-05-01"),
        ("june", "2026-06-01"),
        ("July", "2025-07-01"),
        ("im Juli", "2025-07-01"),
        ("last December", "2025-12-01"),
        ("17 June", "2026-06-17"),
        ("18 June", "2025-06-18"),
        ("6月", "2026-06-01"),
    ],
)
def test_without_a_year_it_is_the_last_such(told, begins):
    assert days(told)[0] == begins


@pytest.mark.parametrize(
    ("told", "begins", "ends"),
    [
        ("today", "2026-06-17", "2026-06-18"),
        ("Yesterday", "2026-06-16", "2026-06-17"),
        ("last week", "2026-06-08", "2026-06-15"),
        ("this week", "2026-06-15", "2026-06-22"),
        ("last month", "2026-05-01", "2026-06-01"),
        ("this month", "2026-06-01", "2026-07-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("2024", "2024-01-01", "2025-01-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("December 2025", "2025-12-01", "2026-01-01"),
    ],
)
def test_other_periods(told, begins, ends):
    assert days(told) == (begins, ends)


@pytest.mark.parametrize(
    "told",
    [
        "",
        "soon",
        "2026-13",
        "2026-02-30",
        "0001-01",
        "9999",
        "June July",
        "5 6 June",
        "boat",
        "-1",
        "5",
        "6/2026/1",
        "June 99999",
        "20265",
        "31 June",
    ],
)
def test_what_is_none_is_named_with_the_remedy(told):
    with pytest.raises(UnknownTimeError, match="2026-06-30"):
        period(told, NOW)


def test_a_period_begins_at_midnight_on_this_machine():
    assert (
        period("2026-06-30", NOW).begins == datetime.combine(date(2026, 6, 30), time()).astimezone()
    )


def test_between_is_open_where_nothing_is_told_and_takes_in_the_last_day():
    assert between("", " ", NOW) == (None, None)
    since, until = between("June", "June", NOW)
    assert (since, until) == (period("2026-06-01", NOW).begins, period("2026-06-30", NOW).ends)


def test_an_end_before_the_beginning_is_told():
    with pytest.raises(UnknownTimeError, match="exchange"):
        between("2026-06", "2026-05", NOW)
