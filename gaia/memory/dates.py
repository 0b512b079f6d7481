"""Months and years that a question names: "in May 2023", "im Juni", "2023年5月".

A memory said in such a month is more likely meant. Relative times ("last week") are
not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from gaia.memory.text import normalise

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


def named_time(text: str) -> NamedTime:
    """The months and years that the text names."""
    words = normalise(text)
    years = frozenset(int(year) for year in YEAR.findall(words))
    return NamedTime(years, frozenset(month for month in _months(words) if 1 <= month <= 12))


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
