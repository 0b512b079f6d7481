"""Figures, dates and times of day: whether those of a text stand in what was said.

They may be written in other ways than they were said: `two cats` and `2 cats`, `5 pm`
and `17:00`, `3 December` and `2026-12-03`. A date may also be told from a word such as
`tomorrow`: nobody can say here which one is meant, only that it is not far.
"""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

import regex

from gaia.memory.dates import NUMBER_OF
from gaia.memory.text import normalise

DAYS_BACK = 400
DAYS_AHEAD = 800
"""How far from a message the dates lie that may be told from it."""

NUMBERS = (
    "zero null cero zéro ноль 零",
    "one ein eine einen uno una un une um uma один одна 一",
    "two zwei dos deux due dois duas два две 二 两 兩 twice both",
    "three drei tres trois tre três три 三",
    "four vier cuatro quatre quattro quatro четыре 四",
    "five fünf cinco cinq cinque пять 五",
    "six sechs seis sei шесть 六",
    "seven sieben siete sept sette sete семь 七",
    "eight acht ocho huit otto oito восемь 八",
    "nine neun nueve neuf nove девять 九",
    "ten zehn diez dix dieci dez десять 十",
    "eleven elf once onze undici одиннадцать",
    "twelve zwölf doce douze dodici doze двенадцать noon midday midnight mittag mitternacht",
    "thirteen dreizehn trece",
    "fourteen vierzehn catorce fortnight",
    "fifteen fünfzehn quince quinze",
    "sixteen sechzehn",
    "seventeen siebzehn",
    "eighteen achtzehn",
    "nineteen neunzehn",
    "twenty zwanzig veinte vingt venti vinte двадцать",
)
TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
NUMBER_WORDS = {
    normalise(word): str(number) for number, names in enumerate(NUMBERS) for word in names.split()
} | {word: str(number) for number, word in zip(range(30, 110, 10), TENS, strict=True)}

_CLAIMED = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty zwei drei vier fünf sechs sieben acht neun zehn elf
"""
CLAIMED = frozenset(_CLAIMED.split()) | frozenset(TENS)
"""Words of a text that are figures in it: those that mean nothing else elsewhere."""

PARTS_OF_AN_HOUR = regex.compile(
    r"\b(?:half|quarter|halb|viertel|demie?|quart|media|cuarto|mezza|quarto|meia|пол\w*)\b|半|반"
)
WORD = regex.compile(r"\p{Han}|(?V1)[\p{L}--\p{Han}][[\p{L}\p{M}]--\p{Han}]*")
THOUSANDS = regex.compile(r"(?<![\d.,])(\d{1,6})[ ]?k\b")
FIGURE = regex.compile(r"\d+(?:[.,:'’/-]\d+)*")
DIGITS = regex.compile(r"\d+")
DATES = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?(?!\d)(?:T(?=\d))?",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?",
        r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)? (?:of |de |di )?(?P<name>\p{L}{3,})\.?"
        r"(?:,? (?:de )?(?P<year>\d{4}))?(?!\d)",
        r"\b(?P<name>\p{L}{3,})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<year>\d{4}))?",
        r"\b(?P<name>\p{L}{3,})\.?,? (?:de )?(?P<year>\d{4})(?!\d)",
        r"(?<![\d.,:])(?P<year>(?:19|20)\d\d)(?![\d.,:]\d|\d)",
    )
)
TIMES = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        r"(?<![\d:])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))? ?(?P<half>[ap])\.?m\b",
        r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::00)?(?![\d:])",
        r"(?<![\d:])(?P<hour>\d{1,2}) ?(?:uhr|h|時|时|点)(?P<minute>\d{2})?(?!\p{L}|\d)",
    )
)


class Founded(IntEnum):
    """Whether something was said: word for word; as a date that may be reckoned from what
    was; perhaps in other words; all but the word it begins with, which may be a name; not
    at all."""

    SAID = 0
    RECKONED = 1
    PERHAPS = 2
    OPENER = 3
    NOWHERE = 4


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of what was said, in all the ways in which they may come again."""

    known: frozenset[str]
    has_parts_of_an_hour: bool

    @classmethod
    def of(cls, texts: Iterable[str]) -> Figures:
        """Those of some texts."""
        said = [normalise(text) for text in texts]
        known = frozenset(figure for text in said for figure in _figures(text))
        return cls(known, any(map(PARTS_OF_AN_HOUR.search, said)))

    def joined(self, other: Figures) -> Figures:
        """These and others."""
        has_parts = self.has_parts_of_an_hour or other.has_parts_of_an_hour
        return Figures(self.known | other.known, has_parts)

    def judge(self, text: str, said_on: date) -> tuple[Founded, str]:
        """How far the figures of `text` are founded, and the text without its dates."""
        rest = normalise(text)
        worst = Founded.SAID
        removed: list[str] = []
        for pattern in (*DATES, *TIMES):
            for each in pattern.finditer(rest):
                judged = self._time(each) if pattern in TIMES else self._date(each, said_on)
                if judged is not None:
                    worst = max(worst, judged)
                    removed.append(each.group())
            for each_text in removed:
                rest = rest.replace(each_text, " ")
        claimed = _claimed(rest)
        if not all(map(self._is_known, claimed)):
            worst = Founded.NOWHERE
        return worst, _without(text, removed)

    def _date(self, found: regex.Match[str], said_on: date) -> Founded | None:
        """None for what is no date after all."""
        parts = found.groupdict()
        month = NUMBER_OF.get(parts["name"]) if parts.get("name") else parts.get("month")
        if parts.get("name") and month is None:
            return None
        year, day = parts.get("year"), parts.get("day")
        if {str(int(part)) for part in (year, month, day) if part} <= self.known:
            return Founded.SAID
        return _distance(int(year or said_on.year), int(month or 0), int(day or 0), said_on)

    def _time(self, found: regex.Match[str]) -> Founded:
        parts = found.groupdict()
        hour, minute = int(parts["hour"]), int(parts["minute"] or 0)
        hours = {hour % 12, hour % 12 + 12, hour}
        if minute in (15, 30, 45) and self.has_parts_of_an_hour:
            hours |= {each + 1 for each in hours}
        elif minute and str(minute) not in self.known:
            return Founded.NOWHERE
        return Founded.SAID if {str(each) for each in hours} & self.known else Founded.NOWHERE

    def _is_known(self, figure: str) -> bool:
        if figure in self.known:
            return True
        if len(figure) == 2 and figure[1] != "0" and {f"{figure[0]}0", figure[1]} <= self.known:
            return True
        groups = {_plain(group) for group in DIGITS.findall(figure)}
        return len(groups) > 1 and groups <= self.known


def _distance(year: int, month: int, day: int, said_on: date) -> Founded:
    """Whether a date lies near; what is left open of it is zero."""
    if not month:
        return Founded.RECKONED if abs(year - said_on.year) <= 1 else Founded.NOWHERE
    try:
        days = (date(year, month, day or 15) - said_on).days
    except ValueError:
        return Founded.NOWHERE
    return Founded.RECKONED if -DAYS_BACK <= days <= DAYS_AHEAD else Founded.NOWHERE


def _claimed(normalised: str) -> Iterator[str]:
    for each in FIGURE.findall(normalised):
        yield _joined(each) if regex.fullmatch(r"[\d.,'’]+", each) else each
    for word in WORD.findall(normalised):
        if word in CLAIMED:
            yield NUMBER_WORDS[word]


def _figures(normalised: str) -> Set[str]:
    found: set[str] = set()
    for each in FIGURE.findall(normalised):
        found |= {each, _joined(each), *map(_plain, DIGITS.findall(each))}
    found |= {f"{_plain(each)}000" for each in THOUSANDS.findall(normalised)}
    for word in WORD.findall(normalised):
        if word in NUMBER_WORDS:
            found.add(NUMBER_WORDS[word])
        if word in NUMBER_OF:
            found.add(str(NUMBER_OF[word]))
    return found


def _joined(figure: str) -> str:
    """The figure without what parts its thousands."""
    return _plain("".join(DIGITS.findall(figure)))


def _plain(digits: str) -> str:
    return str(int(digits)) if len(digits) < 20 else digits


def _without(text: str, removed: Iterable[str]) -> str:
    """The text, in its own letters, without the dates; capitals of months go with them."""
    for each in removed:
        text = regex.sub(regex.escape(each), " ", text, flags=regex.IGNORECASE)
    return text
