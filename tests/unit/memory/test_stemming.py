"""The stems of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.text import SHORTEST, stem

SAME = [
    "allergy allergies",
    "run runs running",
    "paint paints painted painting",
    "move moved moving moves",
    "class classes",
    "box boxes",
    "church churches",
    "quick quickly",
    "кошка кошки кошку кошкой",
    "الكتاب كتاب والكتاب",
]


@pytest.mark.parametrize("words", SAME)
def test_inflected_forms_share_a_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["bus bust", "us use", "string str", "is i", "new knew", "sing s", "weed wee", "дом домино"],
)
def test_different_words_keep_different_stems(words: str) -> None:
    one, other = words.split()
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["iphone15", "2023", "kg", "है", "高い", "łódź", "🎸", ""])
def test_what_has_no_endings_stays_as_it_is(word: str) -> None:
    assert stem(word) == word


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_of_any_word_something_is_left(word: str) -> None:
    assert len(stem(word)) >= min(len(word), SHORTEST)
