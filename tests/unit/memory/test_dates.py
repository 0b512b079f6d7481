"""Months and years that a question names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.dates import NamedTime, named_time


@pytest.mark.parametrize(
    ("text", "years", "months"),
    [
        ("What did I buy in June 2023?", {2023}, {6}),
        ("Who came on May 3, 2023?", {2023}, {5}),
        ("was war im März?", set(), {3}),
        ("¿qué compré en enero?", set(), {1}),
        ("что я купила в июне 2023 года", {2023}, {6}),
        ("2023年5月に何を買った", {2023}, {5}),
        ("2023-05", {2023}, {5}),
        ("between April and June", set(), {4, 6}),
        ("how many times in 2023", {2023}, set()),
        ("on 2 may", set(), {5}),
    ],
)
def test_named_months_and_years_are_found(text: str, years: set[int], months: set[int]) -> None:
    assert named_time(text) == NamedTime(frozenset(years), frozenset(months))


@pytest.mark.parametrize(
    "text",
    [
        "May I ask?",
        "you may go",
        "they march on",
        "my brother Jan",
        "12023 pieces",
        "room 20-13",
        "",
    ],
)
def test_words_that_only_look_like_a_time_name_none(text: str) -> None:
    assert not named_time(text)


def test_a_moment_is_covered_when_all_that_is_named_fits() -> None:
    june = datetime(2023, 6, 30, 23, tzinfo=UTC)
    assert named_time("in June").covers(june)
    assert named_time("in 2023").covers(june)
    assert named_time("June or July 2023").covers(june)
    assert not named_time("June 2022").covers(june)
    assert not named_time("July 2023").covers(june)


def test_what_names_no_time_covers_nothing() -> None:
    assert not named_time("what is my name").covers(datetime(2023, 6, 1, tzinfo=UTC))


@given(st.text(st.characters(exclude_categories=()), max_size=100))
def test_any_text_is_read(text: str) -> None:
    assert all(1 <= month <= 12 for month in named_time(text).months)
