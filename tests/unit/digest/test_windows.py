"""How a session is cut into the parts that a model reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.digest.windows import cut, shown
from gaia.memory.search.recall import tokens
from gaia.store.archive import ArchivedTurn
from tests.harness.turns import a_turn, turns_of


def session(turns: int, *, words: int, answer: int) -> list[ArchivedTurn]:
    return [a_turn(number, "word " * words, "word " * answer) for number in range(1, turns + 1)]


@pytest.mark.parametrize(
    ("turns", "words", "answer", "windows"),
    [(25, 20, 60, 1), (400, 60, 40, 6), (60, 700, 300, 9), (1, 5, 5, 1), (0, 0, 0, 0)],
)
def test_a_session_is_cut_into_windows_of_about_ten_thousand_tokens(
    turns: int, words: int, answer: int, windows: int
) -> None:
    found = cut(session(turns, words=words, answer=answer), tokens=10_000, user_name="Ada")
    assert len(found) == windows


def test_windows_count_from_one_and_know_how_many_there_are() -> None:
    found = cut(session(3, words=5000, answer=0), tokens=6000, user_name="Ada", in_group=True)
    assert [(each.number, each.of, each.in_group) for each in found] == [
        (1, 3, True),
        (2, 3, True),
        (3, 3, True),
    ]


def test_windows_that_were_read_before_count() -> None:
    (window,) = cut(turns_of("hello"), tokens=6000, user_name="Ada", read=2)
    assert (window.number, window.of) == (3, 3)


def test_a_huge_turn_is_a_window_of_its_own_whose_words_are_whole() -> None:
    huge = a_turn(2, "begin " + "x " * 200_000 + "end", "y " * 100_000)
    found = cut([a_turn(1, "hi"), huge, a_turn(3, "bye")], tokens=1800, user_name="Ada")
    assert [[turn.archive_id for turn in each.turns] for each in found] == [[1], [2], [3]]
    assert found[1].turns[0].words == huge.words
    part = shown(huge, 1800)
    assert tokens(part.asked) + tokens(part.answer) <= 1850
    assert part.asked.startswith("begin x")
    assert part.asked.endswith("x end")


def test_answers_are_shortened_before_the_words_of_the_user_are() -> None:
    turn = a_turn(1, "word " * 1000, "answer " * 1000)
    part = shown(turn, 10_000)
    assert part.asked == turn.asked
    assert tokens(part.answer) <= 520


@given(st.lists(st.text(max_size=300), max_size=30), st.integers(50, 2000))
def test_every_turn_is_in_one_window_in_order_and_always_the_same(
    said: list[str], size: int
) -> None:
    turns = turns_of(*said)
    found = cut(turns, tokens=size, user_name="Ada")
    assert [turn for each in found for turn in each.turns] == turns
    assert cut(turns, tokens=size, user_name="Ada") == found
    for window in found:
        shown_size = sum(
            tokens(part.asked) + tokens(part.answer)
            for part in (shown(turn, size) for turn in window.turns)
        )
        assert len(window.turns) == 1 or shown_size <= size


def test_a_window_knows_the_turn_before_it() -> None:
    turns = turns_of(*("word " * 400 for _ in range(4)))
    windows = cut(turns[1:], tokens=600, user_name="Ada", before=turns[0])
    assert len(windows) > 1
    assert [each.before for each in windows] == [
        turns[turns.index(each.turns[0]) - 1] for each in windows
    ]
