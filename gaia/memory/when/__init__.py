"""Dates and times that a sentence names, placed by rules and never guessed.

`find` knows what "next Tuesday at half past three" means on the day on which it is said.
What is ambiguous ("soon", "3/4/2026" in English) is not placed. The rules for what people
mean stand with `days` and `clock`, the words of each language in `books/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

EARLIEST_YEAR, LATEST_YEAR = 1900, 2200
LONGEST_TEXT = 10_000
"""Characters of a text that are looked at."""


@dataclass(frozen=True, slots=True)
class Placed:
    """When something is, as a sentence says it."""

    start: datetime
    """Aware, in UTC. Of a day, its local midnight."""
    end: datetime | None
    """After the last moment of a span or a part of a day; `None` where none is said."""
    has_time: bool
    """Whether a time or a part of the day is said."""
    phrase: str
    """The words that say it, as they stand in the text; " … " where others are between."""
    places: Sequence[tuple[int, int]]
    """Where in the text these words begin and end; two, where others are between."""
    recurrence: str | None = None
    """An iCalendar RRULE, where it recurs; `start` is then the first time."""
    is_whole: bool = True
    """Whether no other words that may be a part of it stand in the sentence: of "next week at
    9", only the week is placed."""
    is_moment: bool = False
    """Whether it is so long from now, such as in ten minutes, and the same in every zone."""


def find(
    text: str,
    said_at: datetime,
    zone: tzinfo,
    language: str | None = None,
    *,
    ahead: bool = False,
) -> Sequence[Placed]:
    """All dates and times that are certain, in their order, as seen from `said_at` in the
    person's zone.

    `language` is ISO 639-1; without it, that is taken whose words the text has. `ahead`
    says that what is meant lies ahead, as in a reminder: the tense does not count, and a
    time without a day is its next. Never raises; nothing is placed before 1900. The first
    call in a language loads dateparser and the phrase book, which takes a tenth of a
    second; all of them take 15 MB. Without `ahead` a sentence with a day that may lie on
    either side of today takes some ten milliseconds more.
    """
    from gaia.memory.sentence_classifier import Sides
    from gaia.memory.when.book import book_of
    from gaia.memory.when.folded import fold
    from gaia.memory.when.meaning import Meaning
    from gaia.memory.when.phrases import Reader

    folded = fold(text[:LONGEST_TEXT])
    book = book_of(folded, language)
    if book is None:
        return []
    try:
        now = said_at.astimezone(zone)
    except OverflowError:
        return []
    found = []
    for span in Reader(Meaning(book, folded, now, zone, ahead, Sides())).spans():
        try:
            start = span.start.astimezone(UTC)
            end = span.end.astimezone(UTC) if span.end else None
        except (ValueError, OverflowError):
            continue
        if EARLIEST_YEAR <= span.start.year <= LATEST_YEAR:
            words = [(span.begins, span.ends), *([span.apart] if span.apart else [])]
            places = [folded.place(*each) for each in words]
            phrase = " … ".join(text[first:after] for first, after in places)
            rest = (span.rule, span.is_whole, span.is_moment)
            found.append(Placed(start, end, span.has_time, phrase, places, *rest))
    return found
