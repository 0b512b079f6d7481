"""The days that phrases mean, as seen from a day on which they are said.

Conventions, where people differ:

- A weekday is the next to come, or the last that was where the sentence is in the past tense,
  if the sentence as a whole agrees: of "I got tickets for Friday" it does not. A date without
  a year is the next to come, and in the past none: the year is not known. On a Monday,
  "Monday" is not today.
- "next Friday" lies in the next calendar week, from Monday on, in the languages whose
  book says so (`weekday_next`); in others it is the first to come (`weekday_coming`).
- What is some weeks, months or years ago is a span, the calendar week, month or year that
  holds the day; what comes in as many is the day itself.
- "since May" is the day on which that began, and "until Friday" begins with today and ends
  with Friday.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from gaia.memory.when.book import Piece
from gaia.memory.when.spans import (
    SEASONS,
    Days,
    Seen,
    monday_before,
    month_of,
    months_from,
    period_around,
    season_of,
    shifted,
    weekend_of,
)

Read = Callable[[Piece, Seen], Days | None]
"""Tells which days a piece means; `None` where that is not certain."""


def days_of(pieces: Sequence[Piece], seen: Seen) -> Days | None:
    """The days that one piece means, or that several mean together; `None` where these do
    not belong together, or it is not certain.

    Raises:
        ValueError: There is no such day.
        OverflowError: There is none that Python knows.
    """
    if len(pieces) == 1:
        read = READERS.get(pieces[0].kind)
        return read(pieces[0], seen) if read else None
    if len(pieces) != 2:
        return None
    for one, other in (pieces, pieces[::-1]):
        if (together := _narrowed(one, other, seen)) is not None:
            return together
    return None


def is_day(piece: Piece) -> bool:
    """Whether a piece means days."""
    return piece.kind in READERS


def _narrowed(one: Piece, other: Piece, seen: Seen) -> Days | None:
    """What `one` means within `other`: "Tuesday" of "next week", "in May" of "last year"; or
    after it: "Friday" and "in two weeks", "a week from" and "tomorrow"."""
    if other.kind in {"in", "shift"} and one.kind in {"day", "weekday", "date"}:
        return _later(one, other, seen)
    span = days_of([other], seen) if other.kind in WITHIN.get(one.kind, ()) else None
    if span is None:
        return None
    if one.kind == "weekday":
        wanted = _wanted(one)
        if span.after is None:
            return span if span.first.weekday() == wanted else None
        if span.end - span.first != timedelta(days=7):
            return None
        return Days(span.first + timedelta(days=wanted))
    if one.kind == "day_of_month":
        return Days(span.first.replace(day=int(one.word("d")))) if _is_month(span) else None
    if one.word("y") or span.first.month != 1 or shifted(span.first, "month", 12) != span.end:
        return None
    month = _month_of(one)
    if one.kind == "month":
        return month_of(span.first.year, month)
    return Days(date(span.first.year, month, int(one.word("d"))))


def _later(one: Piece, other: Piece, seen: Seen) -> Days | None:
    """A day so long after another: a week from Friday. "In two weeks on Friday" is that of the
    week; "Friday in two weeks" may be either, and is none where these differ."""
    ahead = Seen(seen.now, seen.zone, back=False)
    found, lengths = days_of([one], ahead), other.lengths
    if found is None or found.after or len(lengths) > 1 or lengths[0][0] not in {"day", "week"}:
        return None
    ((unit, count),) = lengths
    day = shifted(found.first, unit, count)
    if other.kind == "in" and one.kind == "weekday":
        week = monday_before(shifted(ahead.today, unit, count))
        of_week = week + timedelta(days=found.first.weekday())
        return (
            Days(of_week)
            if unit == "week" and (one.start > other.start or day == of_week)
            else None
        )
    if other.kind == "in" and one.kind == "date":
        return None
    return Days(day)


WITHIN = {
    "weekday": {"period_this", "period_next", "period_last", "day", "date", "dotted", "in"},
    "day_of_month": {"period_this", "period_next", "period_last", "month"},
    "month": {"period_this", "period_next", "period_last"},
    "date": {"period_this", "period_next", "period_last"},
}


def _is_month(span: Days) -> bool:
    return span.first.day == 1 and shifted(span.first, "month", 1) == span.end


def _day(piece: Piece, seen: Seen) -> Days:
    return Days(seen.today + timedelta(days=piece.offset))


def _in(piece: Piece, seen: Seen) -> Days | None:
    day = seen.today
    for unit, count in piece.lengths:
        if unit in {"minute", "hour"}:
            return None
        day = shifted(day, unit, count)
    return Days(day)


def _ago(piece: Piece, seen: Seen) -> Days | None:
    (unit, count), *more = piece.lengths
    if unit in {"minute", "hour"} or more:
        return None
    day = shifted(seen.today, unit, -count)
    return Days(day) if unit == "day" else period_around(unit, day)


def _weekday(piece: Piece, seen: Seen) -> Days:
    wanted = _wanted(piece)
    return _last(wanted, seen) if seen.back else _coming(wanted, seen)


def _weekday_this(piece: Piece, seen: Seen) -> Days:
    wanted, monday = _wanted(piece), monday_before(seen.today)
    if (day := monday + timedelta(days=wanted)) >= seen.today or seen.back:
        return Days(day) if not (seen.back and day > seen.today) else _last(wanted, seen)
    return _coming(wanted, seen)


def _weekday_of_week(count: int) -> Read:
    """The weekday of this calendar week, or so many later."""
    return lambda piece, seen: Days(
        monday_before(seen.today) + timedelta(days=7 * count + _wanted(piece))
    )


def _wanted(piece: Piece) -> int:
    return int(piece.value("wd") if piece.word("wd") else piece.value("weekday"))


def _coming(weekday: int, seen: Seen) -> Days:
    return Days(seen.today + timedelta(days=(weekday - seen.today.weekday() - 1) % 7 + 1))


def _last(weekday: int, seen: Seen) -> Days:
    return Days(seen.today - timedelta(days=(seen.today.weekday() - weekday - 1) % 7 + 1))


def _period_piece(count: int) -> Read:
    def read(piece: Piece, seen: Seen) -> Days:
        period = piece.value("period")
        if period in SEASONS:
            return season_of(period, count, seen)
        if period == "weekend":
            return weekend_of(count, seen)
        return period_around(period, shifted(seen.today, period, count))

    return read


def _month_piece(piece: Piece, seen: Seen) -> Days | None:
    month = _month_of(piece)
    if piece.word("y"):
        return month_of(int(piece.word("y")), month)
    found = month_of(seen.today.year, month)
    if piece.kind == "month_last" or (seen.back and piece.kind == "month"):
        return found if found.end <= seen.today else month_of(seen.today.year - 1, month)
    if piece.kind == "month_next":
        return month_of(seen.today.year + 1, month) if found.first <= seen.today else None
    if piece.kind == "month" and found.end <= seen.today:
        return month_of(seen.today.year + 1, month)
    return found


def _year(piece: Piece, seen: Seen) -> Days:
    return months_from(date(int(piece.word("y")), 1, 1), 12)


def _date(piece: Piece, seen: Seen) -> Days | None:
    month, day = _month_of(piece), int(piece.word("d"))
    after = int(piece.word("d2")) if piece.word("d2") else None
    found = _dated(piece, month, day, seen)
    if piece.word("wd") and found.weekday() != piece.value("wd"):
        return None
    if after is None:
        return Days(found)
    return Days(found, found.replace(day=after) + timedelta(days=1)) if after > day else None


def _month_of(piece: Piece) -> int:
    named = piece.word("month") or piece.word("mon")
    return int(piece.book.value("mon", named) if named else piece.word("mon_n"))


def _dated(piece: Piece, month: int, day: int, seen: Seen) -> date:
    if piece.word("y"):
        return date(int(piece.word("y")), month, day)
    years = range(seen.today.year - 8, seen.today.year + 1)
    if not seen.back:
        years = range(seen.today.year, seen.today.year + 9)
    for year in reversed(years) if seen.back else years:
        if day <= calendar.monthrange(year, month)[1]:
            found = date(year, month, day)
            if (found <= seen.today) if seen.back else (found >= seen.today):
                return found
    raise ValueError(f"{month}-{day} is no day")


def _slashed(piece: Piece, seen: Seen) -> Days | None:
    """A date whose order is certain: that of the language, or the only one that there is."""
    first, second = int(piece.word("d")), int(piece.word("mon_n"))
    if not piece.book.day_comes_first and first <= 12 < second:
        return Days(_dated(piece, first, second, seen))
    if not piece.book.day_comes_first and first <= 12 and first != second:
        return None
    return Days(_dated(piece, second, first, seen))


def _day_of_month(piece: Piece, seen: Seen) -> Days | None:
    day, first = int(piece.word("d")), seen.today.replace(day=1)
    for months in range(0, -13, -1) if seen.back else range(13):
        month = shifted(first, "month", months)
        if day <= calendar.monthrange(month.year, month.month)[1]:
            found = month.replace(day=day)
            if (found <= seen.today) if seen.back else (found >= seen.today):
                agrees = not piece.word("weekday") or found.weekday() == piece.value("weekday")
                return Days(found) if agrees else None
    return None


def _next_n(piece: Piece, seen: Seen) -> Days | None:
    ahead = _in(piece, seen)
    return Days(seen.today, ahead.first) if ahead else None


def _last_n(piece: Piece, seen: Seen) -> Days | None:
    unit, count = piece.value("unit"), piece.count
    if unit in {"minute", "hour"}:
        return None
    return Days(shifted(seen.today, unit, -count), seen.today + timedelta(days=1))


READERS: Mapping[str, Read] = {
    "day": _day,
    "day_part": _day,
    "in": _in,
    "ago": _ago,
    "ago_weekend": lambda piece, seen: weekend_of(-piece.count, seen),
    "weekday": _weekday,
    "weekday_this": _weekday_this,
    "weekday_coming": lambda piece, seen: _coming(_wanted(piece), seen),
    "weekday_next": _weekday_of_week(1),
    "weekday_next_but_one": _weekday_of_week(2),
    "weekday_last": lambda piece, seen: _last(_wanted(piece), seen),
    "weekday_last_week": _weekday_of_week(-1),
    "period_this": _period_piece(0),
    "period_next": _period_piece(1),
    "period_last": _period_piece(-1),
    "month": _month_piece,
    "month_this": _month_piece,
    "month_next": _month_piece,
    "month_last": _month_piece,
    "year": _year,
    "date": _date,
    "date_range": _date,
    "iso": _date,
    "dotted": _date,
    "slashed": _slashed,
    "day_of_month": _day_of_month,
    "next_n": _next_n,
    "shift": lambda piece, seen: None,
    "last_n": _last_n,
}
"""What a kind of phrase means."""
