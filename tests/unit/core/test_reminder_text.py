"""Reminders in words."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gaia.core.reminder_text import moment, recurs

NOW = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "zone", "told"),
    [
        ("2026-11-29 23:30", "Europe/Lisbon", "today at 23:30"),
        ("2026-11-29 23:30", "Asia/Tokyo", "today at 08:30"),
        ("2026-11-30 09:00", "Europe/Lisbon", "tomorrow at 09:00"),
        ("2026-11-28 09:00", "Europe/Lisbon", "yesterday at 09:00"),
        ("2026-12-04 09:00", "Europe/Lisbon", "on Friday, 4 December at 09:00"),
        ("2027-01-01 09:00", "Europe/Lisbon", "on Friday, 1 January 2027 at 09:00"),
    ],
)
def test_a_moment_is_told_as_seen_from_today(time: str, zone: str, told: str) -> None:
    at = datetime.fromisoformat(time).replace(tzinfo=UTC)
    assert moment(at, NOW, ZoneInfo(zone)) == told


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;BYDAY=MO", "every Monday"),
        ("FREQ=WEEKLY;BYDAY=MO,TH,FR", "every Monday, Thursday and Friday"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every 2 weeks on Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", "every month on day 1"),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "every year on 24 December"),
        ("FREQ=HOURLY;INTERVAL=2", "every 2 hours"),
        ("FREQ=YEARLY", "every year"),
        ("FREQ=MONTHLY;BYDAY=1MO", "every month on the first Monday"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=DAILY;COUNT=7", "every day until 7 January 2026"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20260120T235959", "every Monday until 19 January 2026"),
    ],
)
def test_a_rule_is_told_in_words(rule: str, told: str) -> None:
    assert recurs(f"DTSTART:20260101T090000\nRRULE:{rule}") == told
