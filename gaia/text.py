"""Texts cut to what a line has room for, and numbers in words."""

from __future__ import annotations

from datetime import timedelta

ELLIPSIS = "…"

MOST_DIGITS = 18
"""A number of more may be none that a database can hold."""


def cut(text: str, longest: int) -> str:
    """`text` itself, or its beginning and an ellipsis: at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}{ELLIPSIS}"


def one_line(text: str, longest: int | None = None) -> str:
    """`text` on one line, its words one space apart; cut when it is longer."""
    line = " ".join(text.split())
    return line if longest is None else cut(line, longest)


def number_in(text: str) -> int | None:
    """The whole number that `text` is, with a `#` or without; None if it is none, or has more
    digits than any number of a memory, a page or a message."""
    digits = text.removeprefix("#")
    return int(digits) if digits.isdecimal() and len(digits) <= MOST_DIGITS else None


def counted(number: int, one: str, many: str) -> str:
    """A number of things in words."""
    return f"1 {one}" if number == 1 else f"{number:,} {many}"


def counted_turns(turns: int) -> str:
    """A number of turns in words."""
    return counted(turns, "turn", "turns")


def counted_memories(number: int) -> str:
    """A number of memories in words."""
    return counted(number, "memory", "memories")


def duration(seconds: float) -> str:
    """A duration for people: `3 s`, `5 min`, `2 h 10 min`, `4 d 1 h`."""
    whole = timedelta(seconds=int(seconds))
    hours, minutes = whole.seconds // 3600, whole.seconds // 60 % 60
    if whole.days:
        return f"{whole.days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{whole.seconds} s"


def money(cost: float, currency: str) -> str:
    """What something costs: to the cent, or less precisely where it is less than one."""
    if 0 < cost < 0.01:
        return f"less than 0.01 {currency}"
    return f"{cost:,.2f} {currency}"
