"""Texts cut to what a line has room for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.text import counted_turns, cut, duration, money, number_in, one_line


@given(st.text(), st.integers(1, 20))
def test_what_is_cut_is_never_longer_than_it_may_be(text: str, longest: int) -> None:
    shown = cut(text, longest)
    assert len(shown) <= longest
    assert shown == text or shown.endswith("…")


def test_what_fits_stays_as_it_is() -> None:
    assert cut("four", 4) == "four"
    assert cut("four and more", 5) == "four…"


def test_a_line_has_its_words_one_space_apart() -> None:
    assert one_line(" Ada\n  Lovelace ") == "Ada Lovelace"
    assert one_line("Ada\nLovelace", 4) == "Ada…"


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("#12", 12), ("0", 0), ("9" * 18, int("9" * 18)), ("٣", 3)],
)
def test_a_number_is_read_with_its_sign_or_without(text: str, number: int) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize("text", ["", "#", "##1", "-1", "1.5", "²", "one", "9" * 19, "9" * 5000])
def test_what_is_no_number_or_too_long_is_none(text: str) -> None:
    assert number_in(text) is None


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
