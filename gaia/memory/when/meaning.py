"""What phrases that stand together mean: one day, its time, or something that recurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo

import regex

from gaia.memory.sentence_classifier import Side
from gaia.memory.when import clock
from gaia.memory.when.book import Book, Piece
from gaia.memory.when.days import days_of, is_day
from gaia.memory.when.folded import Folded
from gaia.memory.when.recurrence import (
    Recurrence,
    every_day,
    is_recurrence,
    lasting,
    recurrence_of,
)
from gaia.memory.when.spans import Days, Seen, shifted

CLAUSE_END = regex.compile(r"[.!?;,\n。](?!\d)")
SENTENCE_END = regex.compile(r"[.!?\n。](?!\d)")
FARTHEST_TENSE = 200
"""Characters before and after a phrase in which its tense is looked for."""

AROUND = " .,;:!?-"
YEARLY = frozenset({"date", "date_range", "dotted", "slashed", "month"})
"""Days that are in each year, unless one is named: "I was born on 3 March"."""

MOMENTS = {"in_half_hour": 30, "in_ninety": 90, "ago_half_hour": -30}
"""Phrases that name minutes from now."""

MINUTES = {"minute": 1, "hour": 60}


@dataclass(frozen=True, slots=True)
class Span:
    """When something begins and ends on the local clock, and where in the text it says so."""

    start: datetime
    end: datetime | None
    has_time: bool
    begins: int = 0
    ends: int = 0
    rule: str | None = None
    apart: tuple[int, int] | None = None
    """Where a time stands that is said apart from its day."""
    is_whole: bool = True
    """Whether no other words that may be a part of it stand in the sentence."""
    is_moment: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """Knows what chains of phrases mean in one text."""

    book: Book
    text: Folded
    now: datetime
    """In the person's zone."""
    zone: tzinfo
    ahead: bool
    """Whether what is meant lies ahead, whatever the tense."""
    side: Callable[[str], Side | None]
    """On which side of today the day lies that a sentence names."""

    def of(self, chain: Sequence[Piece]) -> Span | None:
        """What the phrases of a chain mean together; `None` where it is not certain."""
        try:
            found = self._meant(chain)
        except (ValueError, OverflowError):
            return None
        return replace(found, begins=chain[0].start, ends=chain[-1].end) if found else None

    def midnight(self, day: date) -> datetime:
        """When a local day begins."""
        return datetime.combine(day, time(), self.zone)

    def _meant(self, chain: Sequence[Piece]) -> Span | None:
        days = [piece for piece in chain if is_day(piece)]
        rules = [piece for piece in chain if is_recurrence(piece)]
        clocks = [piece for piece in chain if piece.kind in clock.KINDS]
        parts = [piece for piece in chain if piece.kind == "part"]
        lengths = [piece for piece in chain if piece.kind == "for"]
        if rules or (self.ahead and (clocks or any(piece.word("lasts") for piece in days))):
            lengths += [piece for piece in days if piece.kind == "next_n"]
            days = [piece for piece in days if piece.kind != "next_n"]
        moments = [moment for piece in chain if (moment := self._moment(piece)) is not None]
        if moments:
            return Span(moments[0], None, True, is_moment=True) if len(chain) == 1 else None
        if max(len(clocks), len(parts), len(lengths)) > 1 or len(chain) != sum(
            map(len, (days, rules, clocks, parts, lengths))
        ):
            return None
        seen = self._seen(chain)
        part = self._part(chain)
        is_each_day = self.ahead and any(piece.kind == "next_n" for piece in lengths) and not days
        if rules or is_each_day:
            rule = recurrence_of([*rules, *days], seen) if rules else every_day(seen)
            span = self._recurring(rule, clocks, part) if rule else None
            return self._lasting_rule(span, lengths[0]) if span and lengths else span
        if not days:
            if not self.ahead or lengths:
                return None
            if clocks:
                return self._time_alone(clocks[0], part)
            said = self.text.text[chain[0].start : chain[-1].end]
            return self._part_alone(part) if " " in said else None
        found = days_of(days, seen)
        if found is None or not (self.ahead or self._is_certain(chain, days, found, seen)):
            return None
        if lengths:
            is_span = len(chain) == 2 and not self.ahead
            return self._lasting(found, lengths[0]) if is_span else None
        return self._on(found, chain, part, seen)

    def _moment(self, piece: Piece) -> datetime | None:
        """The moment that a phrase such as "in ten minutes" names."""
        minutes = MOMENTS.get(piece.kind)
        if minutes is None and piece.kind in {"in", "ago"}:
            told = piece.lengths
            if all(unit in MINUTES for unit, _ in told):
                minutes = sum(MINUTES[unit] * count for unit, count in told)
                minutes = -minutes if piece.kind == "ago" else minutes
        if minutes is None:
            return None
        return self._minutes_from_now(minutes)

    def _minutes_from_now(self, minutes: int) -> datetime:
        """The moment that many minutes later, whatever the clocks do."""
        return datetime.fromtimestamp(self.now.timestamp() + minutes * 60, self.zone)

    def _part(self, chain: Sequence[Piece]) -> str:
        named = [each.value("part") for each in chain if each.word("part")]
        return named[0] if len(named) == 1 else ""

    def _on(self, days: Days, chain: Sequence[Piece], part: str, seen: Seen) -> Span | None:
        clocks = [piece for piece in chain if piece.kind in clock.KINDS]
        clocks = clocks or [piece for piece in chain if piece.kind == "iso" and piece.word("h")]
        if days.after is not None:
            if clocks or part:
                return None
            return Span(self.midnight(days.first), self.midnight(days.end), False)
        midnight = self.midnight(days.first)
        is_today = days.first == seen.today
        if clocks:
            told = clock.clock_of(clocks[0], part)
            if told is None:
                return None
            minutes = clock.settled(told, self.now if is_today else None, back=seen.back)
            if minutes is not None:
                return _at(midnight, minutes, told, clocks[0])
            if self.ahead:
                return None
        elif part:
            return _during(midnight, part)
        return Span(midnight, None, False)

    def _part_alone(self, part: str) -> Span:
        """The next such part of a day, as in a reminder "in the morning"."""
        today = _during(self.midnight(self.now.date()), part)
        if today.start > self.now:
            return today
        return _during(self.midnight(self.now.date() + timedelta(days=1)), part)

    def _time_alone(self, piece: Piece, part: str) -> Span | None:
        """The next such time: a time without a day is certain in a reminder alone."""
        told = clock.clock_of(piece, part)
        if told is None:
            return None
        today = self.midnight(self.now.date())
        minutes = clock.settled(told, self.now, back=False)
        if minutes is None or clock.after(today, minutes) <= self.now:
            minutes = clock.likely(told)
            today = self.midnight(self.now.date() + timedelta(days=1))
        return None if minutes is None else _at(today, minutes, told, piece)

    def _recurring(self, rule: Recurrence, clocks: Sequence[Piece], part: str) -> Span | None:
        if not rule.days:
            unit = 60 if "HOURLY" in rule.rule else 1
            first = self._minutes_from_now(_interval(rule.rule) * unit)
            return None if clocks or part else Span(first, None, True, rule=rule.rule)
        minutes = None
        if clocks:
            told = clock.clock_of(clocks[0], part)
            minutes = clock.likely(told) if told else None
            if minutes is None and self.ahead:
                return None
        elif part:
            minutes = clock.PARTS[part][0] * 60
        for day in rule.days:
            start = clock.after(self.midnight(day), minutes or 0)
            if minutes is None or start > self.now:
                return Span(start, None, minutes is not None, rule=rule.rule)
        return None

    def _lasting_rule(self, found: Span, length: Piece) -> Span | None:
        ((unit, count), *more), first = length.lengths, found.start.date()
        if more or unit in MINUTES or found.rule is None:
            return None
        rule = lasting(found.rule, first, shifted(first, unit, count))
        return replace(found, rule=rule) if rule else None

    def _lasting(self, days: Days, length: Piece) -> Span | None:
        unit = length.value("unit")
        count = length.count
        if days.after is not None or unit in {"minute", "hour"}:
            return None
        after = shifted(days.first, unit, count)
        return Span(self.midnight(days.first), self.midnight(after), False)

    def _seen(self, chain: Sequence[Piece]) -> Seen:
        return Seen(self.now, self.zone, back=not self.ahead and self._is_past(chain))

    def _is_past(self, chain: Sequence[Piece]) -> bool:
        """Whether the clause in which a phrase stands is in the past tense, or the sentence
        where the clause has no tense."""
        for ends in (CLAUSE_END, SENTENCE_END):
            if self._stands_around(chain, self.book.future, ends):
                return False
            if self._stands_around(chain, self.book.past, ends):
                return True
        return False

    def _is_certain(
        self, chain: Sequence[Piece], days: Sequence[Piece], found: Days, seen: Seen
    ) -> bool:
        """Whether days are on the side of today on which the tense puts them: there is no
        other, or the sentence as a whole is of that side. "I got tickets for Friday" has the
        past tense, and of many verbs it is not known. Of a date behind, the year is not."""
        if found == days_of(days, replace(seen, back=not seen.back)):
            return True
        if seen.back and any(piece.kind in YEARLY for piece in days):
            return False
        sentence = self._around(chain, SENTENCE_END)
        if sentence.strip(AROUND) == self.text.source(chain[0].start, chain[-1].end):
            return True
        side = self.side(sentence)
        if seen.back:
            return side is Side.BEHIND
        is_to_come = self._stands_around(chain, self.book.future, CLAUSE_END)
        return side is Side.AHEAD or (side is None and is_to_come)

    def _stands_around(
        self, chain: Sequence[Piece], words: regex.Pattern[str] | None, ends: regex.Pattern[str]
    ) -> bool:
        """Whether any of the words stands in the clause or sentence of a phrase."""
        return words is not None and words.search(self._around(chain, ends)) is not None

    def _around(self, chain: Sequence[Piece], ends: regex.Pattern[str]) -> str:
        begins, after = chain[0].start, chain[-1].end
        first, last = max(0, begins - FARTHEST_TENSE), after + FARTHEST_TENSE
        for before in ends.finditer(self.text.text, first, begins):
            first = before.end()
        if behind := ends.search(self.text.text, after, last):
            last = behind.start()
        return self.text.source(first, min(last, len(self.text.text)))


def _during(midnight: datetime, part: str) -> Span:
    """A part of the day that begins at `midnight`."""
    first, last = clock.PARTS[part]
    return Span(clock.after(midnight, first * 60), clock.after(midnight, last * 60), True)


def _at(midnight: datetime, minutes: int, told: clock.Clock, piece: Piece) -> Span:
    """So many minutes after `midnight`, until the end of a range of times."""
    until = clock.end_of(piece, clock.Clock(minutes, told.exact))
    end = clock.after(midnight, until.minutes) if until else None
    return Span(clock.after(midnight, minutes), end, True)


def _interval(rule: str) -> int:
    found = regex.search(r"INTERVAL=(\d+)", rule)
    return int(found[1]) if found else 1
