"""The times of day that phrases mean.

An hour from one to twelve without a part of the day is the one that people mean: from seven
to eleven it is in the morning, and from one to four in the afternoon. Five and six are not
certain. Of a time that is yet to come today, it is the next on the dial by day. Midnight
belongs to the day that ends with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from gaia.memory.when.book import Piece

KINDS = frozenset(
    {"clock", "clock_past", "clock_to", "clock_range", "noon", "midnight", "clock_half_to"}
    | {"clock_three_quarters"}
)
PARTS = {"morning": (8, 12), "noon": (12, 14), "afternoon": (14, 18)} | {
    "evening": (18, 22),
    "night": (20, 28),
}
"""The hours at which a part of the day begins and ends."""

BY_DAY = range(7, 23)
"""Hours at which people have something to do."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Minutes after midnight; `exact` where it is certain in which half of the day."""

    minutes: int
    exact: bool

    def moved(self, minutes: int) -> Clock:
        return Clock(self.minutes + minutes, self.exact)


def clock_of(piece: Piece, part: str = "") -> Clock | None:
    """The time at which a phrase begins, in the part of the day that is said beside it."""
    if piece.kind == "noon":
        return Clock(12 * 60, True)
    if piece.kind == "midnight":
        return Clock(24 * 60, True)
    told = _told(piece)
    if told is None:
        return None
    if piece.kind == "clock_range" and not told.exact:
        told = _first_of_range(piece, told)
    return _in_part(told.moved(_beside(piece)), piece, part)


def end_of(piece: Piece, begins: Clock) -> Clock | None:
    """The time at which a range of times ends."""
    if piece.kind != "clock_range":
        return None
    told = _told(piece, "2")
    while told is not None and told.minutes <= begins.minutes and not told.exact:
        told = Clock(told.minutes + 12 * 60, told.minutes >= 12 * 60)
    return told if told is not None and told.minutes > begins.minutes else None


def settled(clock: Clock, now: datetime | None, *, back: bool) -> int | None:
    """Minutes after midnight; `None` where it is not certain. `now` is given for today."""
    if clock.exact:
        return clock.minutes
    if now is not None:
        passed = now.hour * 60 + now.minute
        both = [clock.minutes, clock.minutes + 12 * 60]
        if back:
            return max((each for each in both if each <= passed), default=None)
        ahead = [each for each in both if each > passed and each // 60 in BY_DAY]
        return min(ahead, default=None)
    return likely(clock)


def likely(clock: Clock) -> int | None:
    """Minutes after midnight by what people mean; `None` for five and six."""
    if clock.exact:
        return clock.minutes
    hour = clock.minutes // 60
    if hour in {5, 6}:
        return None
    return clock.minutes + 12 * 60 if hour < 5 else clock.minutes


def _told(piece: Piece, which: str = "") -> Clock | None:
    """The time that a piece names, or with "2" the one that it names as its end."""
    word = piece.word(f"h{which}")
    if not word:
        return None
    hour = int(word) if word.isdecimal() else int(piece.value(f"h{which}"))
    minutes = hour * 60 + int(piece.word(f"m{which}") or 0)
    half = piece.value(f"ampm{which}") if piece.word(f"ampm{which}") else ""
    if half and 1 <= hour <= 12:
        return Clock(minutes % (12 * 60) + (12 * 60 if half == "pm" else 0), True)
    if half == "am" and hour > 12:
        return None
    padded = word.startswith("0") or piece.kind == "iso"
    return Clock(minutes, padded or hour == 0 or hour > 12)


def _first_of_range(piece: Piece, told: Clock) -> Clock:
    """ "from 3 to 5 pm" begins in the afternoon as well, and "from 9 to 5 pm" does not."""
    until = _told(piece, "2")
    if until is None or not until.exact:
        return told
    later = Clock(told.minutes % (12 * 60) + 12 * 60, True)
    return later if later.minutes < until.minutes else Clock(told.minutes, True)


def _beside(piece: Piece) -> int:
    """The minutes by which a phrase moves its hour: "quarter past", "ten to", "halb"."""
    if piece.kind == "clock_half_to":
        near = piece.number("n")
        return -30 + (-near if piece.word("less") else near)
    if piece.kind == "clock_three_quarters":
        return -15
    moved = 30 if piece.word("half") else 15 if piece.word("quarter") else 0
    moved += piece.number("n")
    return -moved if piece.kind == "clock_to" else moved


def _in_part(clock: Clock, piece: Piece, part: str) -> Clock:
    own = piece.value("part") if piece.word("part") else None
    part = own or part
    if clock.exact or not part:
        return clock
    hour = clock.minutes // 60
    if part == "morning":
        return Clock(clock.minutes % (12 * 60), True)
    if part == "night" and (hour < 6 or hour == 12):
        return Clock(clock.minutes % (12 * 60) + 24 * 60, True)
    if part == "noon" and 10 <= hour <= 12:
        return Clock(clock.minutes, True)
    return Clock(clock.minutes % (12 * 60) + 12 * 60, True)


def after(midnight: datetime, minutes: int) -> datetime:
    """The wall clock's time so many minutes after a day began."""
    days, rest = divmod(minutes, 24 * 60)
    day = midnight + timedelta(days=days)
    return day.replace(hour=rest // 60, minute=rest % 60)
