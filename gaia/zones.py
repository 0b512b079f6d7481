"""Time zones as people name them: by zone, by city, by country, by the hours from UTC."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import regex

from gaia.errors import UnknownTimeError

OFFSET = regex.compile(r"(?:utc|gmt)\s*(?P<sign>[+-])\s*(?P<hours>\d{1,2})(?::?00)?")
FURTHEST_AHEAD, FURTHEST_BEHIND = 14, 12
"""Hours from UTC."""

WORD = regex.compile(r"[\p{L}\p{M}]+")


def local_zone() -> tzinfo:
    """The time zone of this machine, with its changes of the clock."""
    from tzlocal import get_localzone

    return get_localzone()


def is_utc(name: str) -> bool:
    """Whether a zone is UTC by one of its names: that of machines that nobody told theirs."""
    return name.rpartition("/")[2].upper() in {"UTC", "UCT", "ZULU", "UNIVERSAL", "GMT"}


def zone_of(name: str | None) -> tzinfo:
    """The zone of that name; this machine's without one, or where the name is unknown here."""
    if name is None:
        return local_zone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return local_zone()


def matching(words: str) -> Sequence[str]:
    """The zones that some words may mean, by name: one if it is clear, none if nothing
    is called so."""
    told = _folded(words)
    if not told:
        return ()
    offset = OFFSET.fullmatch(told)
    if offset:
        return _at_offset(offset["sign"], int(offset["hours"]))
    placed = _cities().get(told) or _countries().get(told)
    if placed:
        return placed
    by_name = {_folded(name): name for name in available_timezones()}
    return (by_name[told],) if told in by_name else ()


def the_zone(words: str) -> str:
    """The zone that some words mean.

    Raises:
        UnknownTimeError: They name none, or several; the message lists those.
    """
    found = matching(words)
    if not found:
        raise UnknownTimeError(
            f"there is no time zone called {words!r}: name the nearest large city, or a zone "
            "such as Europe/Lisbon"
        )
    if len(found) > 1:
        raise UnknownTimeError(f"{words!r} has several time zones: {', '.join(found[:8])}")
    return found[0]


def guess(texts: Iterable[str]) -> str | None:
    """The one zone whose city the texts name, as words with a capital; None if they name none,
    or cities of several."""
    cities = _cities()
    found: set[str] = set()
    for text in texts:
        words = WORD.findall(text)
        for start in range(len(words)):
            for length in (1, 2, 3):
                some = words[start : start + length]
                if len(some) == length and all(each[:1].isupper() for each in some):
                    found.update(cities.get(_folded(" ".join(some)), ()))
    return found.pop() if len(found) == 1 else None


@cache
def _cities() -> dict[str, Sequence[str]]:
    """The zones by their city."""
    cities: dict[str, list[str]] = {}
    for _, name in _places():
        city = name.rpartition("/")[2]
        cities.setdefault(_folded(city), []).append(name)
    return dict(cities)


@cache
def _countries() -> dict[str, Sequence[str]]:
    """The zones by the English name of their country."""
    names = dict(line.split("\t")[:2] for line in _table("iso3166.tab"))
    countries: dict[str, list[str]] = {}
    for code, zone in _places():
        countries.setdefault(_folded(names.get(code, code)), []).append(zone)
    return dict(countries)


@cache
def _places() -> Sequence[tuple[str, str]]:
    """Each zone where people live, with the code of its country."""
    lines = (line.split("\t") for line in _table("zone.tab"))
    return [(line[0], line[2]) for line in lines]


def _table(name: str) -> Sequence[str]:
    text = (files("tzdata") / "zoneinfo" / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _at_offset(sign: str, hours: int) -> Sequence[str]:
    if hours == 0:
        return ("UTC",)
    most = FURTHEST_AHEAD if sign == "+" else FURTHEST_BEHIND
    # In their names the sign is the other way round.
    return (f"Etc/GMT{'-' if sign == '+' else '+'}{hours}",) if hours <= most else ()


def _folded(name: str) -> str:
    """A name as it is compared: without accents, capitals and underscores."""
    plain = unicodedata.normalize("NFKD", name.replace("_", " ").strip().casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))
