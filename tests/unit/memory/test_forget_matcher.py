"""Which texts say what is to be forgotten, and which only share a word with it."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gaia.memory import text as texts
from gaia.memory.forget_matcher import PART, ForgetMatcher, is_code, narrowed
from gaia.store.redaction import REPLACEMENT

GATE = "The gate code is under the blue pot"
LETTERS = st.text(string.ascii_letters + string.digits + " .,!?\n'", max_size=200)
WORDS = st.lists(st.text(string.ascii_lowercase, min_size=4, max_size=9), min_size=2, max_size=40)


@pytest.mark.parametrize(
    "text",
    [
        GATE,
        "the GATE code, is under: the blue... pot!",
        "Remember: the gate code is under the blue pot.",
        "Your gate code lies under the blue pot! Anything else?",
        "I noted that the code of your gate is to be found below a pot.",
        "what's the gate code?",
        "blue pot",
        'remember {"fact": "Gate code: blue pot"}',
        "<b>gate</b> &amp; <i>code</i>",
        "Привет! gate code",
    ],
)
def test_a_text_that_says_it_goes(text: str) -> None:
    assert ForgetMatcher([GATE]).match(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "I painted the kitchen blue",
        "Please review my code: it fails at the login",
        "The flower pot fell over again, can you order a new one?",
        "Could you close the gate?",
        REPLACEMENT,
    ],
)
def test_a_text_with_one_word_in_common_stays(text: str) -> None:
    assert not ForgetMatcher([GATE]).match(text)


@pytest.mark.parametrize(
    ("phrase", "text", "says"),
    [
        ("My favourite band is Radiohead", "Radiohead!", True),
        ("My favourite band is Radiohead", "It's Radiohead.", True),
        ("My favourite band is Radiohead", "The band plays at nine", False),
        ("The alarm is B52x", "it was B52x, wasn't it", True),
        ("The door opens with 471100", "471100", True),
        ("My sister was born on 10th May 1990", "In 1990 it rained", False),
        ("My sister was born on 10th May 1990", "see you on the 10th", False),
        ("I am vegan", "Since you are vegan, no cheese", True),
        ("I am vegan", "Do you eat cheese?", False),
        ("who are you to me", "so who are you to me, after all", True),
        ("who are you to me", "who are you", False),
        ("我对花生过敏", "你对花生过敏", True),
        ("我对花生过敏", "花很好看", False),
        ("Ключ от дачи под ковриком", "Ваш ключ лежит под ковриком на даче", True),
        ("🥜 🚫", "🥜 🚫", True),
        ("!!!", "what!!!", False),
        ("!!!", "well !!! yes", True),
    ],
)
def test_codes_single_words_and_other_scripts(phrase: str, text: str, says: bool) -> None:
    assert ForgetMatcher([phrase]).match(text) is says


def test_words_far_apart_in_a_long_text_are_not_added_up() -> None:
    filler = "we talked about the weather and the neighbours for a long while " * 20
    assert not ForgetMatcher([GATE]).match(f"a blue sky {filler} my code review {filler} the pot")
    assert ForgetMatcher([GATE]).match(f"{filler} the code is under the pot, the blue one {filler}")


@given(LETTERS, LETTERS)
def test_a_needle_is_found_in_whatever_stands_around_it(before: str, after: str) -> None:
    assert ForgetMatcher([GATE]).match(f"{before} {GATE} {after}")


@given(st.text(max_size=60), st.randoms(use_true_random=False))
def test_case_order_and_spaces_do_not_count(phrase: str, chance: random.Random) -> None:
    words = phrase.split()
    assume(texts.content_terms(phrase) and len(phrase) < PART and phrase != REPLACEMENT)
    assert ForgetMatcher([phrase]).match(phrase)
    chance.shuffle(words)
    shuffled = "\n ".join(words)
    if texts.content_terms(shuffled) == texts.content_terms(phrase):
        assert ForgetMatcher([phrase]).match(shuffled)


@pytest.mark.parametrize("memory", ["0", "42", "Note", "boats"])
def test_a_memory_of_one_word_or_number_is_found_where_nothing_else_is_said(memory: str) -> None:
    matcher = ForgetMatcher([narrowed(memory)])
    assert matcher.match(memory)
    assert matcher.match(f"/remember {memory}")
    assert not matcher.match(f"{memory} were never of any use to us")


@given(WORDS, st.data())
def test_a_piece_of_it_is_found(words: list[str], data: st.DataObject) -> None:
    phrase = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 2))
    piece = " ".join(words[start : data.draw(st.integers(start + 2, len(words)))])
    assume(len(texts.content_terms(piece)) >= 2)
    assert ForgetMatcher([phrase]).match(piece)


@given(st.lists(LETTERS, max_size=4), LETTERS)
def test_a_text_that_shares_no_term_stays(phrases: list[str], text: str) -> None:
    assume(all(texts.content_terms(phrase) for phrase in phrases))
    known = frozenset().union(*map(texts.content_terms, phrases))
    assume(known.isdisjoint(texts.content_terms(text)))
    assert not ForgetMatcher(phrases).match(text)


@given(LETTERS, LETTERS)
def test_plain_words_are_judged_as_all_others_are(phrase: str, text: str) -> None:
    invisible = "\u200b"
    assert ForgetMatcher([phrase]).match(text) == ForgetMatcher([phrase]).match(text + invisible)


@given(st.lists(LETTERS, max_size=5), LETTERS)
def test_many_needles_find_what_each_of_them_does(phrases: list[str], text: str) -> None:
    assert ForgetMatcher(phrases).match(text) == any(
        ForgetMatcher([each]).match(text) for each in phrases
    )


@given(st.lists(st.text(max_size=40), max_size=5))
def test_what_was_replaced_is_left_alone(phrases: list[str]) -> None:
    assert not ForgetMatcher([*phrases, REPLACEMENT]).match(REPLACEMENT)


@pytest.mark.parametrize(
    ("term", "code"),
    [
        ("4711", True),
        ("b52x", True),
        ("a113", True),
        ("donaudampfschiff", True),
        ("2024", False),
        ("12", False),
        ("250ml", False),
        ("international", False),
    ],
)
def test_what_reads_like_a_code(term: str, code: bool) -> None:
    assert is_code(term) is code
