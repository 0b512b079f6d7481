"""Which messages ask a small model for an answer in their own language."""

from __future__ import annotations

import pytest

from gaia.agent.embedded.language import REQUESTS, request_for


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("de", "Ich bin müde."),
        ("de", "Welcher Wochentag ist morgen?"),
        ("es", "Mi perro está enfermo."),
        ("es", "¿Cómo me llamo?"),
        ("fr", "Que puis-je manger ce soir ?"),
        ("it", "Cosa mi consigli?"),
        ("pt", "O que devo fazer?"),
    ],
)
def test_a_message_asks_for_its_own_language(language: str, message: str) -> None:
    assert request_for(message) == REQUESTS[language]


@pytest.mark.parametrize(
    "message",
    [
        "",
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
def test_english_and_other_languages_ask_for_nothing(message: str) -> None:
    assert request_for(message) == ""


@pytest.mark.parametrize("message", ["Danke!", "Ciao!", "Hola"])
def test_a_single_word_asks_for_nothing(message: str) -> None:
    assert request_for(message) == ""


def test_words_that_are_spoken_of_do_not_count() -> None:
    assert request_for("What does 'guten Morgen, mein Freund' mean?") == ""
    assert request_for("Translate into English: Der Zug ist spät") == ""
    assert request_for("Wie sagt man 'thank you very much'?") == REQUESTS["de"]


def test_the_name_before_a_message_in_a_group_does_not_count() -> None:
    assert request_for("Ada: Ich bin müde") == REQUESTS["de"]
