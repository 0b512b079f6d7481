"""A plain phrase book for languages that have none of their own, from dateparser's data:
weekdays, dates with a month's name, "tomorrow", "next week", "in 3 days", "3 days ago"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import regex

UNITS = ("minute", "hour", "day", "week", "month", "year")
PERIODS = {"0 {} ago": "period_this", "1 {} ago": "period_last", "in 1 {}": "period_next"}
FARTHEST_DAYS = 3
SHORTEST_PHRASE = 4
NUMBER = r"(\d++[.,]?\d*+)"
ABBREVIATION = regex.compile(r"\\s\*|(?<!\w)\w$")


def plain_book(language: str) -> Mapping[str, Any] | None:
    """What a file of `books/` would hold; `None` where dateparser has no such language."""
    if not regex.fullmatch(r"[a-z]{2,3}", language):
        return None
    try:
        data = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return None
    relative, counted = data.get("relative-type", {}), data.get("relative-type-regex", {})
    phrases: dict[str, Sequence[str]] = {
        "weekday": ["<weekday>"],
        "month": ["<month> <y>"],
        "date": [r"<d>\.? <mon>(,? <y>)?", "<mon> <d>(,? <y>)?"],
        "clock": ["<h>:<m>"],
    }
    for unit in UNITS:
        for key, kind in (*PERIODS.items(), ("in \\1 {}", "in"), ("\\1 {} ago", "ago")):
            words = [*relative.get(key.format(unit), ()), *counted.get(key.format(unit), ())]
            if kind in {"in", "ago"} or unit in {"week", "month", "year"}:
                phrases[f"{kind}:{unit}"] = list(_patterns(words))
    days = {str(offset): list(_patterns(relative.get(key, ()))) for offset, key in _days()}
    same = {unit: unit for unit in UNITS}
    told = {"common": "", "glue": "", "numbers": [], "units": same, "periods": same, "parts": {}}
    return {**told, "days": days, "phrases": phrases}


def _days() -> Iterator[tuple[int, str]]:
    for days in range(FARTHEST_DAYS + 1):
        yield -days, f"{days} day ago"
        if days:
            yield days, f"in {days} day"


def _patterns(words: Sequence[str]) -> Iterator[str]:
    """The words as patterns; without those that are too short to mean only this."""
    for word in words:
        bare = word.replace(NUMBER, "")
        if len(bare) >= SHORTEST_PHRASE and not ABBREVIATION.search(bare):
            yield regex.escape(word.replace(NUMBER, "\0"), literal_spaces=True).replace("\0", "<n>")
