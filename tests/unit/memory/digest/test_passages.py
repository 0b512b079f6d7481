"""Where a quote stands in the user's own words, in every script."""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.memory.digest.passages import FURTHEST, OwnWords, Passage
from gaia.memory.text import content_terms
from tests.harness.effort import rounds
from tests.harness.turns import turns_of


def found(words: str, quote: str) -> list[str]:
    return [each.quote for each in OwnWords(turns_of(words)).find(quote)]


@pytest.mark.parametrize(
    ("words", "quote", "spelled"),
    [
        ("Well, I live  in\nPorto now", "i live in porto", "I live  in\nPorto"),
        ("It’s “Grace” — my sister", 'it\'s "grace" - my sister', "It’s “Grace” — my sister"),
        ("My sister is Grace.", '"My sister is Grace!"', "My sister is Grace"),
        ("Ich heiße Jürgen", "ICH HEISSE JU\u0308RGEN", "Ich heiße Jürgen"),
        ("Я живу в Москве", "я живу в москве", "Я живу в Москве"),
        ("أنا أعيش في بورتو", "أعيش في بورتو", "أعيش في بورتو"),
        ("我住在波尔图，喜欢喝茶", "住在波尔图", "住在波尔图"),
        ("私は東京に住んでいます。", "東京に住んで", "東京に住んで"),
        ("나는 서울에 살아요", "서울에 살아요", "서울에 살아요"),
        ("My dog 🐕 is Rex", "my dog 🐕 is rex", "My dog 🐕 is Rex"),
        ("zero\u200bwidth sister", "zerowidth sister", "zero\u200bwidth sister"),
        ("ＦＵＬＬ width tea", "full WIDTH tea", "ＦＵＬＬ width tea"),
    ],
)
def test_a_quote_is_found_however_it_is_spelled(words: str, quote: str, spelled: str) -> None:
    assert found(words, quote) == [spelled]


@pytest.mark.parametrize(
    ("words", "quote"),
    [
        ("I live in Porto", "I live in Lisbon"),
        ("there was a party", "art"),
        ("Martha is here", "Mart"),
        ("there was a party", "arty"),
        ("I live in Porto", ""),
        ("I live in Porto", "..."),
        ("I live in Porto", "I"),
        ("和我一起", "我"),
        ("I moved from Lisbon to Porto", "I moved ... Porto"),
    ],
)
def test_what_does_not_stand_there_as_words_is_not_found(words: str, quote: str) -> None:
    assert found(words, quote) == []


def test_a_quote_stands_in_one_turn() -> None:
    assert not list(OwnWords(turns_of("I live", "in Porto")).find("I live in Porto"))


def test_the_last_place_comes_first() -> None:
    places = OwnWords(turns_of("I like tea. I like tea?", "Yes, I like tea")).find("I like tea")
    assert [(each.turn.archive_id, each.start) for each in places] == [(2, 5), (1, 12), (1, 0)]


@pytest.mark.parametrize(
    ("words", "quote", "sentence"),
    [
        ("Hi. I live in Porto! Do you?", "in Porto", "I live in Porto!"),
        ("Is it 3.5 km? I like tea", "3.5 km", "Is it 3.5 km?"),
        ("我喜欢茶。你呢？", "喜欢茶", "我喜欢茶。"),
        ("你喜欢茶吗？我喜欢。", "喜欢茶", "你喜欢茶吗？"),
        ("one line\nI like tea\nanother", "like tea", "I like tea"),
        ("I like tea. Do I like milk? Yes.", "tea. Do I", "I like tea. Do I like milk?"),
    ],
)
def test_a_passage_knows_its_sentence(words: str, quote: str, sentence: str) -> None:
    (passage,) = OwnWords(turns_of(words)).find(quote)
    assert " ".join(passage.sentence.split()) == sentence


@given(st.text(min_size=1, max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_a_passage_is_a_part_of_the_words(quote: str, before: str, after: str) -> None:
    words = f"{before} {quote} {after}"
    for each in OwnWords(turns_of(words)).find(quote):
        assert_part_of(words, each)


def assert_part_of(words: str, passage: Passage) -> None:
    assert words[passage.start : passage.start + len(passage.quote)] == passage.quote
    assert passage.sentence in words


@settings(max_examples=rounds(15, thorough=40))
@given(st.lists(st.from_regex(r"[A-Za-zÀ-ÿа-я]{4,9}", fullmatch=True), min_size=3, max_size=9))
def test_words_of_a_text_are_found_in_it_in_capitals_too(words: list[str]) -> None:
    quote = " ".join(words[1:])
    if not content_terms(quote):
        return
    assert found(" ".join(words), quote.upper())


def test_of_very_many_places_the_last_are_found_at_once() -> None:
    places = OwnWords(turns_of("I like tea. " * 3_000)).find("I like tea")
    assert next(places).start == 12 * 2_999


def test_of_a_sentence_without_end_only_what_is_near_a_quote_is_looked_at() -> None:
    words = f"{'a, ' * 5000}I live in Porto{', b' * 5000}"
    (found,) = OwnWords(turns_of(words)).find("I live in Porto")
    assert len(found.before) == len(found.after) == FURTHEST
    assert found.sentence in words
