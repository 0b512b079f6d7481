"""Days, months and years as people write them: those that a question names, such as "in May
2023", "im Juni", "2023年5月", and the one that some words mean and nothing else, such as
"2026-06", "5 June 2025", "yesterday".

A memory said in a month that a question names is more likely meant. Relative times ("last
week") are not looked at there. A period that names no year is the last such: June is this
year's, or, as long as that has not begun, last year's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo

from gaia.errors import UnknownTimeError
from gaia.memory.text import normalise
from gaia.memory.when.spans import Days, month_of, period_around, shifted

MONTHS = (
    "january jan januar janvier enero gennaio janeiro январь января январе",
    "february feb februar février febrero febbraio fevereiro февраль февраля феврале",
    "march marzo märz marz março marco март марта марте",
    "april apr avril abril aprile апрель апреля апреле",
    "may mayo mai maggio maio май мая мае",
    "june jun juni juin junio giugno junho июнь июня июне",
    "july jul juli juillet julio luglio julho июль июля июле",
    "august aug août aout agosto август августа августе",
    "september sep sept septembre septiembre settembre setembro сентябрь сентября сентябре",
    "october oct oktober octobre octubre ottobre outubro октябрь октября октябре",
    "november nov novembre noviembre novembro ноябрь ноября ноябре",
    "december dec dezember décembre diciembre dicembre dezembro декабрь декабря декабре",
)
"""The names of the twelve months, in some languages."""

NUMBER_OF = {
    normalise(name): number for number, names in enumerate(MONTHS, 1) for name in names.split()
}

AMBIGUOUS = frozenset({"may", "march", "mai", "jan", "marco", "mae", "мае"})
"""Names of months that are ordinary words or people's names as well: they count beside a
number or one of these."""

BEFORE_A_MONTH = frozenset(
    {"in", "of", "on", "since", "until", "by", "during", "from", "early", "mid", "late", "last"}
    | {"this", "next", "im", "am", "seit", "en", "de", "em"}
)

WORD = re.compile(r"[^\W_]+")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
ISO_MONTH = re.compile(r"(?<!\d)(?:19|20)\d\d-(\d\d)(?!\d)")
CJK_MONTH = re.compile(r"(?<!\d)(\d{1,2})\s?[月월]")

EARLIEST_YEAR, LATEST_YEAR = 1900, 2999

YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[t ].*)?")
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
CJK = re.compile(r"(?:(\d{4})[年년]\s?)?(\d{1,2})[月월](?:\s?(\d{1,2})[日일])?")
YEAR_ALONE = re.compile(r"(\d{4})[年년]?")
DAY_NUMBER = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")

RELATIVE = {
    **{"now": ("day", 0), "today": ("day", 0), "yesterday": ("day", -1)},
    **{f"this {unit}": (unit, 0) for unit in ("week", "month", "year")},
    **{f"last {unit}": (unit, -1) for unit in ("week", "month", "year")},
}
"""The day, week, month or year that is seen from today, and how many of them away it is."""

FILLERS = frozenset(
    {"in", "at", "the", "of", "on", "since", "until", "from", "to", "last", "this", "early", "mid"}
    | {"late", "end", "im", "am", "den", "der", "en", "el", "de", "du", "le", "dal", "em", "в"}
)
"""Words beside a date that change nothing of it: what is meant lies in the past."""


@dataclass(frozen=True, slots=True)
class NamedTime:
    """The months and years that a text names; a part that is empty is left open."""

    years: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.years or self.months)

    def covers(self, moment: datetime) -> bool:
        """Whether a moment lies in what is named. Nothing named covers nothing."""
        return (
            bool(self)
            and (not self.years or moment.year in self.years)
            and (not self.months or moment.month in self.months)
        )


@dataclass(frozen=True, slots=True)
class Period:
    """From midnight to midnight; `ends` is no longer part of it."""

    begins: datetime
    ends: datetime


def named_time(text: str) -> NamedTime:
    """The months and years that the text names."""
    words = normalise(text)
    years = frozenset(int(year) for year in YEAR.findall(words))
    return NamedTime(years, frozenset(month for month in _months(words) if 1 <= month <= 12))


def period(told: str, now: datetime, zone: tzinfo | None = None) -> Period:
    """The day, month or year that is told, in a time zone: this machine's if none is named.

    Raises:
        UnknownTimeError: It is none.
    """
    today = now.astimezone(zone).date()
    words = normalise(told)
    try:
        days = _relative(words, today) or _dated(words, today)
    except ValueError:
        days = None
    if days is None:
        raise UnknownTimeError(
            f"{told!r} is no day, month or year: write it as 2026-06-30, 2026-06 or June 2026"
        )
    return Period(_midnight(days.first, zone), _midnight(days.end, zone))


def between(
    since: str, until: str, now: datetime, zone: tzinfo | None = None
) -> tuple[datetime | None, datetime | None]:
    """From the beginning of one to the end of the other, as `period` takes them; what is empty
    is left open.

    Raises:
        UnknownTimeError: One of them is no period, or the second ends before the first.
    """
    begins = period(since, now, zone).begins if since.strip() else None
    ends = period(until, now, zone).ends if until.strip() else None
    if begins is not None and ends is not None and ends <= begins:
        raise UnknownTimeError(f"{until!r} ends before {since!r} begins: exchange them")
    return begins, ends


def _months(words: str) -> Iterator[int]:
    yield from (int(month) for month in ISO_MONTH.findall(words))
    yield from (int(month) for month in CJK_MONTH.findall(words))
    found = WORD.findall(words)
    for index, word in enumerate(found):
        if word in NUMBER_OF and (word not in AMBIGUOUS or _is_dated(found, index)):
            yield NUMBER_OF[word]


def _is_dated(words: list[str], index: int) -> bool:
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    return before in BEFORE_A_MONTH or any(near[:1].isdecimal() for near in (before, after))


def _relative(words: str, today: date) -> Days | None:
    if words not in RELATIVE:
        return None
    unit, count = RELATIVE[words]
    day = shifted(today, unit, count)
    return Days(day) if unit == "day" else period_around(unit, day)


def _dated(words: str, today: date) -> Days | None:
    if found := YEAR_FIRST.fullmatch(words):
        return _named(found[1], found[2], found[3], today)
    if found := DAY_FIRST.fullmatch(words):
        return _named(found[3], found[2], found[1], today)
    if found := CJK.fullmatch(words):
        return _named(found[1], found[2], found[3], today)
    if found := YEAR_ALONE.fullmatch(words):
        return _whole_year(_checked(int(found[1])))
    return _in_words([word for word in WORD.findall(words) if word not in FILLERS], today)


def _in_words(words: Sequence[str], today: date) -> Days | None:
    """A month's name, with a day and a year on either side of it or without."""
    months = [NUMBER_OF[word] for word in words if word in NUMBER_OF]
    years = [word for word in words if YEAR_ALONE.fullmatch(word)]
    days = [found[1] for word in words if (found := DAY_NUMBER.fullmatch(word))]
    told = len(months) + len(years) + len(days)
    if told != len(words) or len(years) > 1 or len(days) > 1:
        return None
    if not months:
        return _whole_year(_checked(int(years[0]))) if years and not days else None
    if len(months) > 1:
        return None
    year, day = years[0] if years else None, days[0] if days else None
    return _named(year, str(months[0]), day, today)


def _named(year: str | None, month: str, day: str | None, today: date) -> Days:
    """The month or the day; without a year the last that has begun."""
    number = today.year if year is None else _checked(int(year))
    found = _of_whole_year(number, int(month), day)
    if year is None and found.first > today:
        return _of_whole_year(number - 1, int(month), day)
    return found


def _of_whole_year(year: int, month: int, day: str | None) -> Days:
    return month_of(year, month) if day is None else Days(date(year, month, int(day)))


def _whole_year(year: int) -> Days:
    return period_around("year", date(year, 1, 1))


def _checked(year: int) -> int:
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise ValueError(year)
    return year


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(), zone).astimezone()
