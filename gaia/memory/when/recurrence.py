"""What recurs: the rule in iCalendar's form, and the day on which it first falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]

from gaia.memory.when.book import Piece
from gaia.memory.when.spans import Seen, shifted

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FREQUENCIES = {"minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY"} | {
    "month": "MONTHLY",
    "year": "YEARLY",
}
FARTHEST_DAYS = 366 * 8


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rule, and the days on which it falls, from today on; none for hours and minutes."""

    rule: str
    days: Sequence[date]


Read = Callable[[Piece, Seen], Recurrence | None]
"""Tells how what a piece means recurs; `None` where that is not certain."""


def recurrence_of(pieces: Sequence[Piece], seen: Seen) -> Recurrence | None:
    """What one piece means, or a unit and a day in it, such as "every month" and "on the
    5th"; `None` where they do not belong together."""
    if len(pieces) == 1:
        read = READERS.get(pieces[0].kind)
        return read(pieces[0], seen) if read else None
    if len(pieces) != 2:
        return None
    for unit, day in (pieces, pieces[::-1]):
        if unit.kind in {"every", "every_second", "every_week", "every_month", "every_year"}:
            return _every_unit_on(unit, day, seen)
    return None


def is_recurrence(piece: Piece) -> bool:
    """Whether a piece tells of something that recurs."""
    return piece.kind in READERS


def every_day(seen: Seen) -> Recurrence:
    """What falls on each day."""
    return _every_unit("day", 1, seen)


def until(rule: str, last: date) -> str | None:
    """A rule of days that ends with a day; `None` for one of hours and minutes."""
    return None if _is_within_days(rule) else f"{rule};UNTIL={last:%Y%m%d}T235959"


def lasting(rule: str, first: date, after: date) -> str | None:
    """A rule that falls as often as it does from its first day to before another, wherever it
    begins; `None` where that is once, too long, or the rule one of hours and minutes."""
    if _is_within_days(rule) or (after - first).days > FARTHEST_DAYS:
        return None
    falls = rrulestr(rule, dtstart=datetime.combine(first, time()))
    last = datetime.combine(after, time()) - timedelta(days=1)
    count = len(falls.between(datetime.combine(first, time()), last, inc=True))
    return f"{rule};COUNT={count}" if count > 1 else None


def _is_within_days(rule: str) -> bool:
    return rule.startswith(("FREQ=HOURLY", "FREQ=MINUTELY"))


def _every_unit_on(unit: Piece, day: Piece, seen: Seen) -> Recurrence | None:
    name = unit.kind.removeprefix("every_")
    name = name if name in FREQUENCIES else unit.value("unit")
    count = 2 if unit.kind == "every_second" else unit.count
    if name == "week" and day.kind in {"weekday", "every_weekday"}:
        return _every_few_weeks(count, _every_weekday(day, seen))
    if count > 1:
        return None
    if name == "month" and day.kind == "day_of_month":
        return _monthly(day, seen)
    if name == "year" and day.kind == "date" and not day.word("y"):
        return _yearly(day, seen)
    return None


def _every_weekday(piece: Piece, seen: Seen) -> Recurrence:
    if told := piece.word("weekdays"):
        return _weekly(piece.book.weekdays(told), seen)
    named = [each for each in ("weekday", "weekday2") if piece.word(each)]
    return _weekly(sorted({piece.value(each) for each in named}), seen)


def _every_second_weekday(piece: Piece, seen: Seen) -> Recurrence:
    return _every_few_weeks(2, _weekly([piece.value("weekday")], seen))


def _every_few_weeks(count: int, weekly: Recurrence) -> Recurrence:
    """The rule of one weekday, in each so many weeks from its first on."""
    if count == 1:
        return weekly
    if "," in weekly.rule:
        raise ValueError(f"which weeks hold the first of {weekly.rule} is not certain")
    rule = weekly.rule.replace("WEEKLY;", f"WEEKLY;INTERVAL={count};")
    return Recurrence(rule, [weekly.days[0], weekly.days[0] + timedelta(weeks=count)])


def _every_nth_weekday(piece: Piece, seen: Seen) -> Recurrence:
    """ "the first Monday of every month" """
    nth, weekday = piece.value("nth"), piece.value("weekday")
    return _on_days(f"FREQ=MONTHLY;BYDAY={nth}{CODES[weekday]}", seen)


def _every_last_day(piece: Piece, seen: Seen) -> Recurrence:
    """ "the last day of every month" """
    return _on_days("FREQ=MONTHLY;BYMONTHDAY=-1", seen)


def _weekly(weekdays: Sequence[int], seen: Seen) -> Recurrence:
    return _on_days(f"FREQ=WEEKLY;BYDAY={','.join(CODES[each] for each in weekdays)}", seen)


def _every(piece: Piece, seen: Seen) -> Recurrence | None:
    return _every_unit(piece.value("unit"), piece.count, seen) if piece.count else None


def _every_unit(unit: str, count: int, seen: Seen) -> Recurrence:
    interval = f";INTERVAL={count}" if count > 1 else ""
    rule = f"FREQ={FREQUENCIES[unit]}{interval}"
    if unit in {"minute", "hour"}:
        return Recurrence(rule, ())
    next_day = shifted(seen.today, unit, count)
    return Recurrence(rule, [seen.today, next_day] if unit == "day" else [next_day])


def _monthly(piece: Piece, seen: Seen) -> Recurrence:
    return _on_days(f"FREQ=MONTHLY;BYMONTHDAY={int(piece.word('d'))}", seen)


def _yearly(piece: Piece, seen: Seen) -> Recurrence:
    number, month = int(piece.word("d")), piece.value("mon")
    return _on_days(f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={number}", seen)


def _on_days(rule: str, seen: Seen) -> Recurrence:
    """A rule that names its days, with the first two from today on.

    Raises:
        ValueError: It has none, as that of a 31 April.
    """
    last = seen.today + timedelta(days=FARTHEST_DAYS)
    bounded = f"{rule};UNTIL={last:%Y%m%d}T000000"
    falls = rrulestr(bounded, dtstart=datetime.combine(seen.today, time()))
    days = [each.date() for each in islice(falls, 2)]
    if not days:
        raise ValueError(f"{rule} falls on no day")
    return Recurrence(rule, days)


def _each(unit: str) -> Read:
    return lambda piece, seen: _every_unit(unit, 1, seen)


READERS: dict[str, Read] = {
    "every": _every,
    "every_second": lambda piece, seen: _every_unit(piece.value("unit"), 2, seen),
    "every_weekday": _every_weekday,
    "every_second_weekday": _every_second_weekday,
    "every_nth_weekday": _every_nth_weekday,
    "every_last_day": _every_last_day,
    "every_part": _each("day"),
    "every_day": _each("day"),
    "every_week": _each("week"),
    "every_month": _each("month"),
    "every_year": _each("year"),
    "weekdays": lambda piece, seen: _weekly([0, 1, 2, 3, 4], seen),
    "weekends": lambda piece, seen: _weekly([5, 6], seen),
    "every_date": _yearly,
    "every_day_of_month": _monthly,
}
"""What a kind of phrase means."""
