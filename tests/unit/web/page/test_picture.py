"""The picture of people and things: all of it is in the frame, and nobody covers another."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest

from gaia.memory.browse import Day
from gaia.memory.people.relations import USER, Entity, Relation, Relations
from gaia.web.page.picture import BAR_HEIGHT, MOST_ENTITIES, bars, picture


def drawn(near: int, far: int, loose: int) -> Relations:
    things = [Entity(USER, ["Ada"], memories={1, 2, 3})]
    between: list[Relation] = []
    for number in range(near):
        things.append(Entity(f"n{number}", [f"Near {number}"], "person", {1, 2}))
        between.append(Relation(f"n{number}", "friend of", USER, number))
    for number in range(far):
        things.append(Entity(f"f{number}", [f"Far {number}"], "person", {1}))
        other = f"n{number % near}" if near else f"f{(number + 1) % far}"
        between.append(Relation(f"f{number}", "knows", other, number))
    things += [Entity(f"l{number}", [f"Loose {number}"], "", {1}) for number in range(loose)]
    return Relations(things, between)


@pytest.mark.parametrize(
    ("near", "far", "loose"),
    [(0, 0, 0), (0, 0, 1), (1, 0, 0), (5, 3, 4), (12, 8, 12), (0, 6, 0), (39, 0, 0), (0, 0, 60)],
)
def test_all_are_in_the_frame_and_apart(near: int, far: int, loose: int) -> None:
    found = picture(drawn(near, far, loose))
    assert len(found.dots) == min(near + far + loose, MOST_ENTITIES) + 1
    assert found.left_out == max(near + far + loose - MOST_ENTITIES, 0)
    for number, dot in enumerate(found.dots):
        assert found.left < dot.x - dot.radius
        assert dot.x + dot.radius < found.left + found.width
        assert found.top < dot.y - dot.radius
        assert dot.y + dot.radius < found.top + found.height
        for other in found.dots[:number]:
            apart = math.hypot(dot.x - other.x, dot.y - other.y)
            assert apart > dot.radius + other.radius, (dot, other)


def test_bars_are_as_high_as_days_are_busy() -> None:
    first = date(2026, 1, 1)
    days = [Day(first, 2, 0), Day(first + timedelta(days=2), 4, 1), Day(first, 0, 5)][:2]
    chart = bars(days, first, 3)
    assert [(bar.x, bar.height, bar.kept) for bar in chart.bars] == [
        (0.0, BAR_HEIGHT / 2, 2),
        (20.0, BAR_HEIGHT, 4),
    ]
    assert bars([], first, 3).bars == []
