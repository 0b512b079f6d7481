"""The sentences that a user said, in every script, and how far they are their own."""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.digest.own_words import OwnWords
from gaia.digest.sentences import Attribution, sentences
from gaia.memory.text import content_terms
from gaia.store.archive import MESSAGE_BREAK
from gaia.testing.clock import START
from tests.harness.effort import rounds
from tests.harness.turns import a_turn, turns_of


def found(words: str, quote: str) -> list[str]:
    return [" ".join(each.text.split()) for each in OwnWords(turns_of(words)).find(quote)]


def standings(words: str, *, in_group: bool = False) -> dict[str, Attribution]:
    return {
        each.text: each.attribution for each in sentences([a_turn(1, words)], in_group=in_group)
    }


@pytest.mark.parametrize(
    ("words", "quote", "sentence"),
    [
        ("Well, I live  in\nPorto now", "i live in porto", "Well, I live in Porto now"),
        ("It’s “Grace” — my sister", 'it\'s "grace" - my sister', "It’s “Grace” — my sister"),
        ("My sister is Grace.", '"My sister is Grace!"', "My sister is Grace."),
        ("Ich heiße Jürgen", "ICH HEISSE JU\u0308RGEN", "Ich heiße Jürgen"),
        ("Я живу в Москве", "я живу в москве", "Я живу в Москве"),
        ("أنا أعيش في بورتو", "أعيش في بورتو", "أنا أعيش في بورتو"),
        ("我住在波尔图，喜欢喝茶", "住在波尔图", "我住在波尔图，喜欢喝茶"),
        ("私は東京に住んでいます。", "東京に住んで", "私は東京に住んでいます。"),
        ("나는 서울에 살아요", "서울에 살아요", "나는 서울에 살아요"),
        ("My dog 🐕 is Rex", "my dog 🐕 is rex", "My dog 🐕 is Rex"),
        ("zero\u200bwidth sister", "zerowidth sister", "zero\u200bwidth sister"),
        ("ＦＵＬＬ width tea", "full WIDTH tea", "ＦＵＬＬ width tea"),
        ("Hi. I live in Porto! Do you?", "in Porto", "I live in Porto!"),
        ("I like tea. Do I like milk? Yes.", "tea. Do I", "I like tea. Do I like milk?"),
        ("I run 3.5 km. I like tea", "3.5 km", "I run 3.5 km."),
        ("My doctor is Dr. Weber. I am old.", "doctor is Dr", "My doctor is Dr. Weber."),
        ("Mein Geburtstag ist am 3. Mai. Ja?", "am 3. Mai", "Mein Geburtstag ist am 3. Mai."),
        ("I like sweets, e.g. cake. I like tea.", "cake", "I like sweets, e.g. cake."),
        ("我喜欢茶。我住在这里。", "喜欢茶", "我喜欢茶。"),
        ("I am vegan, what can I cook?", "I am vegan", "I am vegan"),
        ("I am vegan, can you tell me, what can I cook?", "I am vegan", "I am vegan"),
        (
            "Ich esse alles, was süß ist, was kann ich backen?",
            "esse alles",
            "Ich esse alles, was süß ist",
        ),
        ("Soy vegana y vivo sola, ¿qué puedo cocinar?", "Soy vegana", "Soy vegana y vivo sola"),
        ("mon num c le 06.12.34.56", "mon num c le 06123456", "mon num c le 06.12.34.56"),
        ("my zap is (11) 91234-56", "my zap is 119123456", "my zap is (11) 91234-56"),
        ("Mon frère s'apelle Jérome", "frère s'appelle Jérôme", "Mon frère s'apelle Jérome"),
        ("moro em sao paulo c minha mae", "moro em São Paulo com minha mãe", None),
        ("mieszkam w lodzi od zawsze", "Mieszkam w Łodzi od zawsze", None),
        ("aq tgl d jogja sm ortu", "aku tinggal di Jogja sama ortu", None),
        ("hlavně mi neříkej Aničko", "říkej Aničko", None),
        ("I live in Lucca", "user| I live in Lucca", None),
    ],
)
def test_a_quote_is_found_however_it_is_spelled_and_is_its_whole_sentence(
    words: str, quote: str, sentence: str | None
) -> None:
    assert found(words, quote) == [sentence or words]


@pytest.mark.parametrize(
    ("words", "quote"),
    [
        ("I live in Porto", "I live in Lisbon"),
        ("I live in Porto", "I live in Porto and I am a nurse"),
        ("there was a party", "art"),
        ("Martha is here", "Mart"),
        ("I live in Porto", ""),
        ("I live in Porto", "..."),
        ("I live in Porto", "I"),
        ("和我一起", "我"),
        ("I moved from Lisbon to Porto", "I moved ... Porto"),
    ],
)
def test_what_does_not_stand_there_as_words_is_not_found(words: str, quote: str) -> None:
    assert found(words, quote) == []


def test_a_word_or_two_sent_at_once_are_read_with_what_they_belong_to() -> None:
    said = ("my neighbour", "is allergic to cats", "Bob is bald", "ok")
    near = [a_turn(n, words, said_at=START) for n, words in enumerate(said, 1)]
    (found,) = OwnWords(near).find("allergic to cats")
    assert (found.text.split("\x1e"), found.turn.archive_id) == ([*said[:2]], 2)
    (found,) = OwnWords(near).find("Bob is bald")
    assert found.text == "Bob is bald"
    late = [near[0], a_turn(2, said[1], said_at=START + timedelta(minutes=2))]
    (found,) = OwnWords(late).find("allergic to cats")
    assert found.text == said[1]


def test_whole_messages_are_read_apart_however_fast_they_come() -> None:
    said = ("we have a dog called Bruno", "what could i cook tonight", "my knee is being operated")
    turns = [a_turn(n, words, said_at=START) for n, words in enumerate(said, 1)]
    (found,) = OwnWords(turns).find("dog called Bruno")
    assert found.text == said[0]


def test_a_quote_stands_in_one_turn_and_the_last_place_comes_first() -> None:
    assert not list(OwnWords(turns_of("I live", "in Porto")).find("I live in Porto"))
    places = OwnWords(turns_of("I like tea. I like tea!", "Yes, I like tea")).find("I like tea")
    assert [(each.turn.archive_id, each.start) for each in places] == [(2, 0), (1, 12), (1, 0)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("I am vegan.", {"I am vegan.": Attribution.SAID}),
        ("I am vegan. What can I cook?", {"I am vegan.": Attribution.SAID}),
        ("What can I cook? I am vegan.", {"I am vegan.": Attribution.BESIDE_REQUEST}),
        ("I am a nurse. Can you explain that?", {"I am a nurse.": Attribution.BESIDE_REQUEST}),
        ("I am a nurse. Can you correct that?", {"I am a nurse.": Attribution.MATERIAL}),
        ("I live in Rome. That's correct.", {"I live in Rome.": Attribution.SAID}),
        ("traduzco libros\nvivo en lima", {"vivo en lima": Attribution.AMONG_LINES}),
        ("翻訳の仕事をしています。京都です。", {"京都です。": Attribution.SAID}),
        ("Can you correct this? I am nurse.", {"I am nurse.": Attribution.MATERIAL}),
        ("Translate this. I am a nurse.", {"I am a nurse.": Attribution.MATERIAL}),
        (
            "Please translate: I am a nurse",
            {"Please translate: I am a nurse": Attribution.MATERIAL},
        ),
        ("Allergies: nuts", {"Allergies: nuts": Attribution.SAID}),
        ("I get up at 9:30 or 10", {"I get up at 9:30 or 10": Attribution.SAID}),
        ("Tom wrote:\nI am late.", {"I am late.": Attribution.MATERIAL}),
        ("Is that right?\nI am a nurse", {"I am a nurse": Attribution.MATERIAL}),
        ("Hello\nI am a nurse", {"I am a nurse": Attribution.AMONG_LINES}),
        ("> I am a nurse", {"> I am a nurse": Attribution.MATERIAL}),
        ("see\n```\nI am a robot\n```", {"I am a robot": Attribution.MATERIAL}),
        (f"Translate this\n{MESSAGE_BREAK}I am a nurse", {"I am a nurse": Attribution.MATERIAL}),
        (f"How are you?{MESSAGE_BREAK}I am a nurse", {"I am a nurse": Attribution.SAID}),
    ],
)
def test_what_follows_a_colon_or_a_request_is_rather_material_than_said(
    words: str, told: dict[str, Attribution]
) -> None:
    known = standings(words)
    assert {text: known[text] for text in told} == told


@pytest.mark.parametrize(
    ("said", "attribution"),
    [
        (["Can you translate the text that I send next into German?"], Attribution.MATERIAL),
        (["Kannst du das bitte korrigieren?", "Danke!"], Attribution.MATERIAL),
        (["Mein Vermieter schreibt mir:"], Attribution.MATERIAL),
        (["Traduis le texte suivant"], Attribution.MATERIAL),
        (["El siguiente texto hay que traducirlo al inglés"], Attribution.MATERIAL),
        (["Переведи мне это на английский, пожалуйста"], Attribution.MATERIAL),
        (["Bunu Almancaya çevir"], Attribution.MATERIAL),
        (["次の文を英語に訳して"], Attribution.MATERIAL),
        (["帮我把这段话翻译成英文"], Attribution.MATERIAL),
        (["ترجم هذا إلى الإنجليزية"], Attribution.MATERIAL),
        (["Can you find me a bar?"], Attribution.SAID),
        (["I translate books for a living"], Attribution.SAID),
        (['What is "good night, my friend" translated into German?'], Attribution.SAID),
        (["Translate this into German: good night"], Attribution.SAID),
    ],
)
@pytest.mark.parametrize("are_one_turn", [True, False])
def test_what_follows_a_request_for_work_on_a_text_is_that_text(
    said: list[str], attribution: Attribution, *, are_one_turn: bool
) -> None:
    messages = [*said, "I am a nurse in Leeds."]
    turns = turns_of(MESSAGE_BREAK.join(messages)) if are_one_turn else turns_of(*messages)
    *_, last = sentences(turns)
    assert (last.text, last.attribution) == ("I am a nurse in Leeds.", attribution)


@pytest.mark.parametrize(
    ("said", "attribution"),
    [
        (["Can you translate this?", "I am a nurse."], Attribution.MATERIAL),
        (["Can you translate this?", "I am new.", "I am a nurse."], Attribution.SAID),
        (["Can you translate this?", "", "I am a nurse."], Attribution.SAID),
        (
            ["Can you translate this?", f"I am new.{MESSAGE_BREAK}I am a nurse."],
            Attribution.MATERIAL,
        ),
    ],
)
def test_a_text_is_all_of_the_next_turn_and_no_more(
    said: list[str], attribution: Attribution
) -> None:
    turns = turns_of(*said)
    for told in (sentences(turns), sentences(turns[1:], before=turns[0])):
        *_, last = told
        assert (last.text, last.attribution) == ("I am a nurse.", attribution)


def test_a_quote_between_quotation_marks_is_somebody_elses() -> None:
    (said,) = OwnWords(turns_of('He told me "you are a lazy man" again')).find("a lazy man")
    assert said.attribution is Attribution.MATERIAL
    (named,) = OwnWords(turns_of('my band is called "The Loud Cats"')).find("band is called")
    assert named.attribution is Attribution.SAID


def test_in_a_group_each_message_is_its_senders() -> None:
    turn = a_turn(1, "Bob: I like tea\n  My dog too.\nEve: Translate this\nBob: I am old")
    told = [(each.sender, each.text, each.attribution) for each in sentences([turn], in_group=True)]
    assert told == [
        ("Bob", "I like tea", Attribution.AMONG_LINES),
        ("Bob", "My dog too.", Attribution.AMONG_LINES),
        ("Eve", "Translate this", Attribution.SAID),
        ("Bob", "I am old", Attribution.SAID),
    ]


@given(st.text(min_size=1, max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_a_sentence_is_a_part_of_the_words(quote: str, before: str, after: str) -> None:
    words = f"{before} {quote} {after}"
    for each in [*sentences([a_turn(1, words)]), *OwnWords(turns_of(words)).find(quote)]:
        assert words[each.start : each.end] == each.text


@settings(max_examples=rounds(15, thorough=40))
@given(st.lists(st.from_regex(r"[A-Za-zÀ-ÿа-я]{4,9}", fullmatch=True), min_size=3, max_size=9))
def test_words_of_a_text_are_found_in_it_in_capitals_too(words: list[str]) -> None:
    quote = " ".join(words[1:])
    if content_terms(quote):
        assert found(" ".join(words), quote.upper())


def test_of_very_many_places_the_last_are_found_at_once() -> None:
    places = OwnWords(turns_of("I like tea. " * 3_000)).find("I like tea")
    assert next(places).start == 12 * 2_999


@pytest.mark.parametrize(
    "part", ["\n", "``` a\n", "'a b ", "“a. b ", "»a. ", "(a. b ", "a ... ", "....."]
)
def test_a_text_of_marks_alone_is_read_in_time(part: str) -> None:
    began = time.process_time()
    assert list(sentences(turns_of(f"I like tea. {part * 3_000}")))
    assert time.process_time() - began < 10
