"""Pictures in SVG: people and things with what is between them, and days as bars.

Only numbers are computed here; templates draw them. Nobody's words become markup.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaia.memory.browse import Day
from gaia.memory.people.relations import USER, Entity, Relation, Relations
from gaia.text import cut

MOST_ENTITIES = 40
LONGEST_NAME = 18
LONGEST_PREDICATE = 22
STEP = 140.0
"""From one ring to the next."""

ROOM = 14.0
"""A ring has room for one in so much of its radius."""

LABEL_AT = 0.6
"""How far out on its line a label stands: further in, lines are closer to each other."""

FAN = 0.5
"""The angle between two who stand beside the same one."""

STRETCH = 1.35
"""Names are wide: a ring is an ellipse."""

MARGIN_X, MARGIN_Y = 100.0, 60.0

LEAST_WIDTH = 860.0
"""Of fewer, names would be written too large."""
BAR_WIDTH, BAR_HEIGHT = 10.0, 120.0


@dataclass(frozen=True, slots=True)
class Dot:
    """Somebody or something in the picture."""

    x: float
    y: float
    radius: float
    name: str
    kind: str
    is_user: bool


@dataclass(frozen=True, slots=True)
class Line:
    """What is between two of them. `label` stands at `x`, `y`; without one they only have
    memories in common."""

    x1: float
    y1: float
    x2: float
    y2: float
    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Picture:
    """The dots and lines, and the part of the plane that holds them, with the user at its
    origin; `left_out` had no room."""

    left: float
    top: float
    width: float
    height: float
    dots: Sequence[Dot]
    lines: Sequence[Line]
    left_out: int


def picture(found: Relations) -> Picture:
    """The user in the middle, around them who has to do with them, then those who have to do
    with these, and outside who only stands in memories."""
    others = [each for each in found.entities if each.key != USER]
    shown = {each.key: each for each in others[:MOST_ENTITIES]}
    between = [each for each in found.relations if {each.subject, each.object} <= {USER, *shown}]
    neighbours = _neighbours(between)
    near = [key for key in shown if USER in neighbours.get(key, ())]
    far = [key for key in shown if key in neighbours and key not in near]
    loose = [key for key in shown if key not in neighbours]
    inner = [*near, *loose] if len(near) + len(loose) <= STEP / ROOM else near
    outer = [key for key in loose if key not in inner]
    angles = _angles(inner, far, outer, neighbours)
    places = {USER: (0.0, 0.0)}
    for key, radius in _rings(inner, far, outer).items():
        x, y = STRETCH * radius * math.cos(angles[key]), radius * math.sin(angles[key])
        places[key] = (round(x, 1), round(y, 1))
    left, right = min(x for x, _ in places.values()), max(x for x, _ in places.values())
    top, bottom = min(y for _, y in places.values()), max(y for _, y in places.values())
    labels: dict[tuple[str, str], list[str]] = {}
    for each in between:
        labels.setdefault((each.subject, each.object), []).append(each.predicate)
    lines = [
        _line(places[one], places[other], ", ".join(dict.fromkeys(said)))
        for (one, other), said in labels.items()
    ]
    lines += [_line(places[USER], places[key], "") for key in loose]
    things = {each.key: each for each in found.entities}
    dots = [_dot(things[key], place) for key, place in places.items()]
    spare = max(LEAST_WIDTH - (right - left), 2 * MARGIN_X)
    return Picture(
        left=round(left - spare / 2, 1),
        top=round(top - MARGIN_Y, 1),
        width=round(right - left + spare, 1),
        height=round(bottom - top + 2 * MARGIN_Y, 1),
        dots=dots,
        lines=lines,
        left_out=len(others) - len(shown),
    )


def _neighbours(between: Sequence[Relation]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for each in between:
        found.setdefault(each.subject, []).append(each.object)
        found.setdefault(each.object, []).append(each.subject)
    return found


def _angles(
    near: Sequence[str],
    far: Sequence[str],
    loose: Sequence[str],
    neighbours: Mapping[str, Sequence[str]],
) -> Mapping[str, float]:
    """Where around the user each stands: those further out beside whom they have to do with."""
    angles = {key: _around(place, len(near)) for place, key in enumerate(near)}
    beside: dict[str, list[str]] = {}
    for key in far:
        beside.setdefault(next(filter(angles.__contains__, neighbours[key]), ""), []).append(key)
    for key, group in beside.items():
        for place, each in enumerate(group):
            fan = (place - (len(group) - 1) / 2) * FAN
            angles[each] = angles[key] + fan if key else _around(place + 0.5, len(group))
    return angles | {key: _around(place + 0.5, len(loose)) for place, key in enumerate(loose)}


def _around(place: float, number: int) -> float:
    return 2 * math.pi * place / number - math.pi / 2


def _rings(*groups: Sequence[str]) -> Mapping[str, float]:
    """How far from the user each stands: every group outside of the one before, one of many on
    two rings by turns."""
    rings: dict[str, float] = {}
    radius = 0.0
    for group in groups:
        if not group:
            continue
        radius += STEP
        is_crowded = len(group) > radius / ROOM
        for place, key in enumerate(group):
            rings[key] = radius + STEP / 2 * (is_crowded and place % 2)
        radius += STEP / 2 * is_crowded
    return rings


def _line(begin: tuple[float, float], end: tuple[float, float], label: str) -> Line:
    inner, outer = sorted((begin, end), key=lambda place: math.hypot(*place))
    x = inner[0] + (outer[0] - inner[0]) * LABEL_AT
    y = inner[1] + (outer[1] - inner[1]) * LABEL_AT
    return Line(*begin, *end, round(x, 1), round(y, 1), cut(label, LONGEST_PREDICATE))


def _dot(thing: Entity, place: tuple[float, float]) -> Dot:
    radius = min(10 + 3 * math.sqrt(len(thing.memories)), 30)
    is_user = thing.key == USER
    return Dot(
        *place,
        round(34 if is_user else radius, 1),
        cut(thing.name, LONGEST_NAME),
        thing.kind,
        is_user,
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A day: how high its bar is, from `y` down, and what it stands for."""

    x: float
    y: float
    height: float
    day: date
    kept: int


@dataclass(frozen=True, slots=True)
class Chart:
    """The bars of some days within `width` and `height`; the highest is of `most` memories."""

    width: float
    height: float
    bars: Sequence[Bar]
    most: int


def bars(days: Sequence[Day], first: date, number: int) -> Chart:
    """A bar for each day of which there is something to tell."""
    kept = {each.day: each.kept for each in days}
    most = max(kept.values(), default=0)
    drawn = []
    for place in range(number):
        day = first + timedelta(days=place)
        if count := kept.get(day, 0):
            height = round(max(BAR_HEIGHT * count / most, 2), 1)
            drawn.append(Bar(place * BAR_WIDTH, BAR_HEIGHT - height, height, day, count))
    return Chart(number * BAR_WIDTH, BAR_HEIGHT, drawn, most)
