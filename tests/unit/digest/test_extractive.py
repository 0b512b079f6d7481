"""What can be told of a session without a model, and what a summary may say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.digest.check import summary
from gaia.digest.extractive import (
    LONGEST_ABSTRACT,
    MOST,
    SentenceExtractor,
    abstract,
    findings,
    statements,
    worth_keeping,
)
from gaia.digest.sentences import Attribution
from gaia.memory.text import storable
from tests.harness.turns import a_turn, a_window, turns_of


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I'm vegetarian. What can I cook?", ["I'm vegetarian."]),
        ("Well, my sister Grace lives in Bonn", ["Well, my sister Grace lives in Bonn"]),
        ("Ich wohne in Köln und arbeite bei der Bahn", None),
        ("Tengo dos gatos", None),
        ("J'habite à Lyon", None),
        ("Я живу в Москве", None),
        ("我住在波尔图。", None),
        ("أنا أعيش في بورتو", None),
        ("hi gaia! thanks a lot 😀", []),
        ("Tell me a joke about my dog", []),
        ("Can you write to my boss", []),
        ("what is my name", []),
        ("Do I like tea?", []),
        ("The moon is far away", []),
        ("My password is hunter2!", []),
    ],
)
def test_what_the_user_says_of_themselves_is_held(said: str, told: list[str] | None) -> None:
    found = findings(turns_of(said)).proposals
    assert [each.text for each in found] == ([said] if told is None else told)
    assert all(each.pending and each.quote in said for each in found)


def test_a_deed_is_not_kept_and_what_stands_beside_it_is_said() -> None:
    (chosen,) = worth_keeping(
        statements(turns_of("Add bread to my shopping list. My wife eats no gluten."))
    )
    assert chosen.text == "My wife eats no gluten."
    assert chosen.attribution is Attribution.SAID


def test_of_a_long_session_the_most_telling_sentences_are_held_in_their_order() -> None:
    said = [f"My {'very ' * 3}dog {number} likes {number * 7} bones" for number in range(40)]
    found = findings(turns_of(*said, "I am allergic to penicillin")).proposals
    assert len(found) == MOST
    assert [each.archive_id for each in found] == sorted(each.archive_id for each in found)
    assert found[-1].text == "I am allergic to penicillin"


async def test_where_no_model_can_choose_what_lasts_is_found_as_it_was_said() -> None:
    said = "I like tea. My dog is called Rex. The kettle is on. What is a good tea? hi!"
    extracted = await SentenceExtractor("tiny").extract(a_window(said), [])
    assert [(each.text, each.quote) for each in extracted.extraction.findings] == [
        ("", "I like tea."),
        ("", "My dog is called Rex."),
    ]
    assert "tea" in extracted.extraction.summary
    assert (extracted.usage.model, extracted.usage.calls) == ("tiny", 0)


def test_what_is_said_twice_is_held_once_and_nothing_of_gaias_words() -> None:
    turns = [a_turn(1, "I like tea", "I am gaia."), a_turn(2, "I like tea", asked="I am Bob")]
    assert [each.text for each in findings(turns).proposals] == ["I like tea"]


def test_in_a_group_it_is_told_who_said_it() -> None:
    turns = turns_of("Bob: I like tea\n  My dog is Rex. \nEve: My cat is old")
    assert [each.text for each in findings(turns, in_group=True).proposals] == [
        "Bob: I like tea",
        "Bob: My dog is Rex.",
        "Eve: My cat is old",
    ]


def test_an_abstract_is_one_short_line_of_what_was_talked_about() -> None:
    said = ["hi", "The boat needs a new mast", "How much is a mast for the boat?", "ok", "x" * 500]
    told = abstract(turns_of(*said))
    assert "boat needs a new mast" in told
    assert "\n" not in told
    assert len(told) <= LONGEST_ABSTRACT
    assert abstract(turns_of("hi", "thanks")) == ""


@given(st.lists(st.text(max_size=200), max_size=8))
def test_nothing_that_is_held_was_not_said(said: list[str]) -> None:
    found = findings(turns_of(*said))
    assert all(any(each.quote in storable(words) for words in said) for each in found.proposals)
    assert len(found.summary) <= LONGEST_ABSTRACT


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("They spoke of Porto. Bob came along.", "They spoke of Porto."),
        ("They spoke of Porto. It costs 500 euros.", "They spoke of Porto."),
        ("They spoke of a move to Porto for 2026-01-05.", "I want to live in Porto"),
        ("Ada's password is hunter2!", "I want to live in Porto"),
        ("Bob came along.", "I want to live in Porto"),
        ("Gaia named Lisbon.", "Gaia named Lisbon."),
    ],
)
def test_a_summary_names_nobody_and_no_figure_that_did_not_come_up(told: str, kept: str) -> None:
    window = a_window(turns=[a_turn(1, "I want to live in Porto", "Or in Lisbon?")])
    assert summary(told, window) == kept
