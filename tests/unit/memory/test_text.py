"""Text as it is compared and searched, in every script."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.text import (
    LONGEST_TERM,
    MOST_TERMS,
    SHORTEST,
    content_terms,
    normalise,
    query_terms,
    stem,
    storable,
    terms,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
"""Lone surrogates and unassigned code points included."""


@given(ANY_TEXT)
def test_any_text_is_normalised_once_and_for_all(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(ANY_TEXT)
def test_any_text_has_terms_that_a_file_can_hold(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= LONGEST_TERM
        assert storable(term) == term


@given(ANY_TEXT)
def test_terms_are_those_of_the_normalised_text(text: str) -> None:
    assert terms(normalise(text)) == terms(text)


@given(ANY_TEXT, ANY_TEXT)
def test_a_word_is_found_in_any_surroundings(before: str, after: str) -> None:
    assert "marzipan" in terms(f"{before} marzipan {after}")


@given(ANY_TEXT)
def test_content_terms_are_terms(text: str) -> None:
    assert content_terms(text) <= terms(text).keys()


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("I am allergic to peanuts", "PEANUT allergic"),
        ("She was running, then stopped", "runs stop"),
        ("crème brûlée", "creme brulee"),
        ("Straße in Łódź", "STRASSE lodz"),
        ("Ελλάδα", "ελλαδα"),
        ("мою кошку зовут Мурка", "кошка"),
        ("купила ёлку", "елка"),
        ("قرأت الكِتَابَ في المدرسة", "كتاب مدرسه"),
        ("أحمد", "احمد"),
        ("عنده ٣ أولاد", "3"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी सीख रहा हूँ", "हिन्दी"),
        ("我对花生过敏", "过敏"),
        ("我对花生过敏", "敏"),
        ("ラーメンが大好きです", "ラーメン"),
        ("ﾗｰﾒﾝ", "ラーメン"),
        ("고양이를 좋아해요", "고양이"),
        ("집에 간다", "집"),
        ("ฉันแพ้ถั่วลิสง", "ถั่ว"),
        ("loves 🎸 and 👍🏽", "🎸👍"),
        ("❤️", "❤"),
        ("to \u202ebe\u202c found", "found"),
        ("mar\u200bzi\x00pan", "marzipan"),
        ("ﬁsh Ａ１", "fish a1"),
    ],
)
def test_what_is_asked_for_is_found_in_what_is_stored(stored: str, asked: str) -> None:
    wanted = query_terms(asked)
    assert wanted
    assert wanted <= terms(stored).keys()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ich mag Käse", "ich  mag\nKÄSE"),
        ("ﬁne\u200b", "FINE"),
        ("가", "가"),
        ("Straße", "STRASSE"),
    ],
)
def test_texts_that_read_the_same_are_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("papa", "papá"), ("resume", "résumé"), ("1", "2")])
def test_texts_that_read_differently_are_not_the_same(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_every_term_is_counted() -> None:
    assert terms("Dog, dogs and a DOG") == {"dog": 3, "and": 1, "a": 1}


def test_stop_words_say_nothing() -> None:
    assert content_terms("What is the name of my dog?") == {"nam", "dog"}


@pytest.mark.parametrize("text", ['what AND "', "who are you", "The The"])
def test_a_query_of_stop_words_looks_for_them(text: str) -> None:
    assert query_terms(text) == terms(text).keys()


@pytest.mark.parametrize("text", ["", "  ", "?!", "\x00", "\ud800", "\u200d\ufe0f", "\u0301"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert not terms(text)


@pytest.mark.parametrize(
    "text",
    [
        "word and another " * 6_000,
        "a" * 100_000,
        "a\u0301" * 50_000,
        "\u0e01" + "\u0e34" * 100_000,
        "".join(chr(0x4E00 + index % 20_000) for index in range(100_000)),
        "".join(chr(index * 11 % 0x110000) for index in range(100_000)),
    ],
    ids=["words", "one word", "accents", "marks", "chinese", "anything"],
)
def test_a_long_text_takes_little_time_and_has_a_bounded_number_of_terms(text: str) -> None:
    started = time.process_time()
    found = terms(text)
    assert time.process_time() - started < 1
    assert sum(found.values()) <= MOST_TERMS
    assert all(len(term) <= LONGEST_TERM for term in found)


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
