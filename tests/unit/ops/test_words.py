from __future__ import annotations

import pytest

from gaia.ops.words import counted_turns, duration, money


@pytest.mark.parametrize(("turns", "said"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")])
def test_turns_are_counted_in_words(turns: int, said: str) -> None:
    assert counted_turns(turns) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h 0 min"),
        (7_800, "2 h 10 min"),
        (86_400, "1 d 0 h"),
        (349_200, "4 d 1 h"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (0.0, "0.00 USD"),
        (0.004, "less than 0.01 USD"),
        (0.01, "0.01 USD"),
        (1234.5, "1,234.50 USD"),
    ],
)
def test_money(cost: float, said: str) -> None:
    assert money(cost, "USD") == said
