"""Spans of the calendar: weeks from Monday on, weekends, months, seasons, years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

SUMMER_IN_JANUARY = frozenset(
    {"America/Sao_Paulo", "America/Argentina/Buenos_Aires", "America/Montevideo", "America/Lima"}
    | {"Africa/Johannesburg", "Australia/Brisbane", "Australia/Perth", "America/La_Paz"}
)
"""Zones of the southern half that have no summer time, by which it is known otherwise."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The month in which a season begins in the northern half."""


@dataclass(frozen=True, slots=True)
class Days:
    """One day, or those from `first` to before `after`."""

    first: date
    after: date | None = None

    @property
    def end(self) -> date:
        """The day after the last."""
        return self.after or self.first + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Seen:
    """From where days are seen: the local time at which something is said, and whether the
    sentence looks back."""

    now: datetime
    zone: tzinfo
    back: bool

    @property
    def today(self) -> date:
        return self.now.date()


def shifted(day: date, unit: str, count: int) -> date:
    """The day some days, weeks, months or years later; the last of a month that is shorter."""
    later: date = day + relativedelta(**{f"{unit}s": count})
    return later


def monday_before(day: date) -> date:
    """The first day of its week."""
    return day - timedelta(days=day.weekday())


def weekend_of(count: int, seen: Seen) -> Days:
    """The weekend of this week, or so many later; the one before, where the sentence looks
    back and this one is yet to come."""
    saturday = monday_before(seen.today) + timedelta(days=5)
    if count == 0 and seen.back and saturday > seen.today:
        saturday -= timedelta(days=7)
    first = saturday + timedelta(days=7 * count)
    return Days(first, first + timedelta(days=2))


def season_of(season: str, count: int, seen: Seen) -> Days:
    """The season that is or comes in this year, the one after it, or the last to have ended
    or begun."""
    month = SEASONS[season]
    if _is_southern(seen):
        month = (month + 5) % 12 + 1
    year = seen.today.year
    if month == 12 and seen.today.month <= 2:
        year -= 1
    found = [months_from(date(year + shift, month, 1), 3) for shift in (-1, 0, 1)]
    if count < 0:
        return next(each for each in reversed(found) if each.end <= seen.today)
    if count == 0:
        return found[1]
    return next(each for each in found if each.first > seen.today)


def _is_southern(seen: Seen) -> bool:
    if getattr(seen.zone, "key", "") in SUMMER_IN_JANUARY:
        return True
    return bool(datetime(seen.now.year, 1, 10, 12, tzinfo=seen.zone).dst())


def period_around(unit: str, day: date) -> Days:
    """The calendar week, month or year that holds a day."""
    if unit == "week":
        return Days(monday_before(day), monday_before(day) + timedelta(days=7))
    if unit == "month":
        return month_of(day.year, day.month)
    return months_from(date(day.year, 1, 1), 12)


def month_of(year: int, month: int) -> Days:
    """A calendar month."""
    return months_from(date(year, month, 1), 1)


def months_from(first: date, count: int) -> Days:
    """So many months, from their first day on."""
    return Days(first, shifted(first, "month", count))
