"""The notation of phrases: what may be missing, what is wanted, and accents."""

from __future__ import annotations

import pytest

from gaia.phrases import any_phrase, without_accents

NOT_IT = any_phrase(["forget [that] …", "keep {(my|our) ~}", "<wake me [up]> at …", "call _"])


@pytest.mark.parametrize(
    ("said", "wanted", "called"),
    [
        ("forget that I am late", "I am late", None),
        ("Forget  me", "me", None),
        ("forget that", "that", None),
        ("keep our old car", "our old car", None),
        ("wake me up at seven", "seven", "wake me up"),
        ("wake me at seven", "seven", "wake me"),
        ("call Ann-Marie", None, None),
    ],
)
def test_a_phrase_is_found_with_what_is_wanted(said, wanted, called):
    found = NOT_IT.fullmatch(said)
    assert found is not None
    assert found["wanted"] == wanted
    assert (found["called"] or "").strip() == (called or "")


@pytest.mark.parametrize("said", ["forgetful people", "keep it", "wake me up", "call Ann now", ""])
def test_other_words_are_not(said):
    assert NOT_IT.fullmatch(said) is None


@pytest.mark.parametrize("text", ["¿Qué sabes de mí?", "Erzähl!", "ёлка и йогурт", "你好 ça"])
def test_without_accents_everything_has_the_same_place(text):
    plain = without_accents(text)
    assert len(plain) == len(text)
    assert any_phrase([text.replace("?", "")]).fullmatch(plain.replace("?", ""))
