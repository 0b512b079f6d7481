"""When what recurs is due next: by the time of day of its zone, whatever the clocks do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]

from gaia.zones import zone_of

SHORTEST_INTERVAL = timedelta(minutes=5)

MOST_TIMES = 10_000
"""How often something may be due that does not recur for ever."""


@dataclass(frozen=True, slots=True)
class Due:
    """When a reminder is due. `zone` names the time zone of its time of day; None for a
    moment, such as in ten minutes. `recurrence` is a rule of iCalendar."""

    at: datetime
    zone: str | None
    recurrence: str | None = None


def anchored(due: Due) -> str | None:
    """The rule by which something recurs with its first time, so that what is due later keeps
    its time of day; None if it does not recur."""
    if due.recurrence is None:
        return None
    first = due.at.astimezone(zone_of(due.zone))
    return f"DTSTART:{first:%Y%m%dT%H%M%S}\nRRULE:{due.recurrence}"


def rule_parts(recurrence: str) -> dict[str, str]:
    """What a rule says by name, such as FREQ and INTERVAL, with or without its first time."""
    rule = recurrence.rpartition("RRULE:")[2]
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)


def interval_of(recurrence: str) -> timedelta | None:
    """The interval of a rule of hours or minutes, which no change of a clock shifts."""
    parts = rule_parts(recurrence)
    unit = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}.get(
        parts.get("FREQ", "")
    )
    return None if unit is None else unit * int(parts.get("INTERVAL", "1"))


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


def last_time(recurrence: str) -> datetime | None:
    """The last time of a rule by the clock of its zone; None if it has no end."""
    if not rule_parts(recurrence).keys() & {"COUNT", "UNTIL"}:
        return None
    return max(rrulestr(recurrence), default=None)


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
        if int(rule_parts(recurrence).get("COUNT", "0")) > MOST_TIMES:
            return False
    except (ValueError, TypeError, AttributeError, KeyError):
        return False
    is_too_often = interval is not None and interval < SHORTEST_INTERVAL
    return recurrence.startswith("DTSTART:") and not is_too_often


def at_time_of_day(local: datetime, zone: tzinfo) -> datetime:
    """A time of day; one that the clocks leave out is the moment at which it would be."""
    return local.replace(tzinfo=zone).astimezone(UTC)
