"""When what recurs is due next: by the time of day of its zone, whatever the clocks do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]

from gaia.memory.reminder_words import SHORTEST_INTERVAL, Due, anchored, interval_of
from gaia.zones import zone_of


def next_time(
    recurrence: str | None, zone: str | None, due_at: datetime, now: datetime
) -> datetime | None:
    """When a reminder that was due at `due_at` is due again, later than `now`; None if it does
    not recur."""
    if recurrence is None:
        return None
    place = zone_of(zone)
    after = max(due_at, now)
    interval = interval_of(recurrence)
    if interval is not None:
        return due_at + interval * ((after - due_at) // interval + 1)
    local = after.astimezone(place).replace(tzinfo=None)
    following = rrulestr(recurrence).after(local)
    return None if following is None else at_time_of_day(following, place)


def to_come(due: Due, now: datetime) -> Due | None:
    """A time that words named when they were said, at its next where it recurs; None if it has
    passed by now."""
    if due.at > now:
        return due
    following = next_time(anchored(due), due.zone, due.at, now)
    return None if following is None else replace(due, at=following)


def is_rule(recurrence: str) -> bool:
    """Whether that is a rule with its first time, by which something can recur."""
    try:
        interval = interval_of(recurrence)
        rrulestr(recurrence)
    except (ValueError, TypeError, AttributeError, KeyError):
        return False
    is_too_often = interval is not None and interval < SHORTEST_INTERVAL
    return recurrence.startswith("DTSTART:") and not is_too_often


def at_time_of_day(local: datetime, zone: tzinfo) -> datetime:
    """A time of day; one that the clocks leave out is the moment at which it would be."""
    return local.replace(tzinfo=zone).astimezone(UTC)
