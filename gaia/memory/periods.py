"""A day, a month or a year as somebody writes it: "2026-06", "June", "5 June 2025",
"yesterday", "im Juni", "2026年6月".

What names no year is the last such: June is this year's, or, as long as that has not
begun, last year's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from gaia.errors import UnknownTimeError
from gaia.memory.dates import NUMBER_OF
from gaia.memory.text import normalise

EARLIEST_YEAR, LATEST_YEAR = 1900, 2999

YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[t ].*)?")
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
CJK = re.compile(r"(?:(\d{4})[年년]\s?)?(\d{1,2})[月월](?:\s?(\d{1,2})[日일])?")
YEAR_ALONE = re.compile(r"(\d{4})[年년]?")
WORD = re.compile(r"[^\W_]+")
DAY_NUMBER = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")

FILLERS = frozenset(
    {"in", "at", "the", "of", "on", "since", "until", "from", "to", "last", "this", "early", "mid"}
    | {"late", "end", "im", "am", "den", "der", "en", "el", "de", "du", "le", "dal", "em", "в"}
)
"""Words beside a date that change nothing of it: what is meant lies in the past."""


@dataclass(frozen=True, slots=True)
class Period:
    """From midnight to midnight on this machine's clock; `ends` is no longer part of it."""

    begins: datetime
    ends: datetime


def period(told: str, now: datetime) -> Period:
    """The day, month or year that is told.

    Raises:
        UnknownTimeError: It is none.
    """
    today = now.astimezone().date()
    words = normalise(told)
    try:
        days = _relative(words, today) or _dated(words, today)
    except ValueError:
        days = None
    if days is None:
        raise UnknownTimeError(
            f"{told!r} is no day, month or year: write it as 2026-06-30, 2026-06 or June 2026"
        )
    first, after = days
    return Period(_midnight(first), _midnight(after))


def between(since: str, until: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """From the beginning of one to the end of the other; what is empty is left open.

    Raises:
        UnknownTimeError: One of them is no period, or the second ends before the first.
    """
    begins = period(since, now).begins if since.strip() else None
    ends = period(until, now).ends if until.strip() else None
    if begins is not None and ends is not None and ends <= begins:
        raise UnknownTimeError(f"{until!r} ends before {since!r} begins: exchange them")
    return begins, ends


def _relative(words: str, today: date) -> tuple[date, date] | None:
    match words:
        case "today" | "now":
            return _day(today)
        case "yesterday":
            return _day(today - timedelta(days=1))
        case "this week":
            monday = today - timedelta(days=today.weekday())
            return monday, monday + timedelta(days=7)
        case "last week":
            monday = today - timedelta(days=today.weekday() + 7)
            return monday, monday + timedelta(days=7)
        case "this month":
            return _month(today.year, today.month)
        case "last month":
            before = today.replace(day=1) - timedelta(days=1)
            return _month(before.year, before.month)
        case "this year":
            return _year(today.year)
        case "last year":
            return _year(today.year - 1)
        case _:
            return None


def _dated(words: str, today: date) -> tuple[date, date] | None:
    if found := YEAR_FIRST.fullmatch(words):
        return _named(found[1], found[2], found[3], today)
    if found := DAY_FIRST.fullmatch(words):
        return _named(found[3], found[2], found[1], today)
    if found := CJK.fullmatch(words):
        return _named(found[1], found[2], found[3], today)
    if found := YEAR_ALONE.fullmatch(words):
        return _year(_checked(int(found[1])))
    return _in_words([word for word in WORD.findall(words) if word not in FILLERS], today)


def _in_words(words: Sequence[str], today: date) -> tuple[date, date] | None:
    """A month's name, with a day and a year on either side of it or without."""
    months = [NUMBER_OF[word] for word in words if word in NUMBER_OF]
    years = [word for word in words if YEAR_ALONE.fullmatch(word)]
    days = [found[1] for word in words if (found := DAY_NUMBER.fullmatch(word))]
    told = len(months) + len(years) + len(days)
    if told != len(words) or len(years) > 1 or len(days) > 1:
        return None
    if not months:
        return _year(_checked(int(years[0]))) if years and not days else None
    if len(months) > 1:
        return None
    year, day = years[0] if years else None, days[0] if days else None
    return _named(year, str(months[0]), day, today)


def _named(year: str | None, month: str, day: str | None, today: date) -> tuple[date, date]:
    """The month or the day; without a year the last that has begun."""
    number = today.year if year is None else _checked(int(year))
    found = _of_year(number, int(month), day)
    if year is None and found[0] > today:
        return _of_year(number - 1, int(month), day)
    return found


def _of_year(year: int, month: int, day: str | None) -> tuple[date, date]:
    return _month(year, month) if day is None else _day(date(year, month, int(day)))


def _day(day: date) -> tuple[date, date]:
    return day, day + timedelta(days=1)


def _month(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, (first + timedelta(days=31)).replace(day=1)


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _checked(year: int) -> int:
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise ValueError(year)
    return year


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()
