"""Which language a message is taken for, and how each is spoken."""

from __future__ import annotations

import pytest

from gaia.agent.embedded.conversation import language_of, manners


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("de", "Ich bin müde."),
        ("de", "Welcher Wochentag ist morgen?"),
        ("es", "Mi perro está enfermo."),
        ("es", "¿Cómo me llamo?"),
        ("fr", "Que puis-je manger ce soir ?"),
        ("fr", "Merci beaucoup !"),
        ("it", "Cosa mi consigli?"),
        ("pt", "O que devo fazer?"),
        ("en", "What is the name of my dog?"),
    ],
)
def test_a_sentence_has_a_language(language: str, message: str) -> None:
    assert language_of(message) == language


@pytest.mark.parametrize(
    "message",
    [
        "Hello",
        "Haha, good one!",
        "My name is José García",
        "Recommend a paella recipe",
        "And eggs too.",
        "12 + 30",
        "東京はどこですか",
        "Waar woon ik?",
    ],
)
def test_none_of_these_is_taken_for_a_language_that_has_a_request(message: str) -> None:
    assert language_of(message) in ("", "en") or language_of(message) not in manners()


@pytest.mark.parametrize("message", ["", "Danke!", "Ciao!", "Hola", "Thanks"])
def test_a_single_word_has_no_certain_language(message: str) -> None:
    assert language_of(message) == ""


def test_words_that_are_spoken_of_do_not_count() -> None:
    assert language_of("What does 'guten Morgen, mein Freund' mean?") in ("", "en")
    assert language_of("Translate into English: Der Zug ist spät") in ("", "en")
    assert language_of("Wie sagt man 'thank you very much'?") == "de"


def test_the_name_before_a_message_in_a_group_does_not_count() -> None:
    assert language_of("Ada: Ich bin müde") == "de"


@pytest.mark.parametrize("language", manners())
def test_each_example_is_in_its_language_by_turns(language: str) -> None:
    _, example = manners()[language]
    assert [language_of(text) for text in example[::2]] == [language] * (len(example) // 2)
    assert len(example) % 2 == 0
