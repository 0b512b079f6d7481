"""Deeds: what is asked of somebody that takes more than words, such as to call, to buy, to switch
on, to look at the weather. How people ask for them stands in `deeds.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import regex

from gaia.memory.reminders.phrases import stripped
from gaia.phrases import any_phrase, phrases_in, without_accents


def asks_for_deed(sentence: str) -> str:
    """The language, by ISO 639-1, in which a sentence asks for a deed and for nothing else; empty
    for one that does not."""
    said = without_accents(stripped(sentence))
    found = (language for language, pattern in _patterns().items() if pattern.fullmatch(said))
    return next(found, "")


@cache
def _patterns() -> Mapping[str, regex.Pattern[str]]:
    told: Mapping[str, Sequence[str]] = phrases_in(__package__, "deeds.yaml")
    return {language: any_phrase(phrases) for language, phrases in told.items()}
