from __future__ import annotations

import unicodedata
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.cli.console import in_whole_words, strip_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;Zm9v\x07clipboard", "clipboard"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1b[2J\x1b[Hgone?", "gone?"),
        ("\x1bcreset", "reset"),
        ("\x1b[", ""),
        ("\x1b]unterminated", "unterminated"),
        ("bell\x07back\x08space\x7f", "bellbackspace"),
        ("windows\r\nline", "windows\nline"),
        ("over\rwritten", "over\nwritten"),
        ("abc\u202edef", "abcdef"),
        ("Grüße 你好 👩‍👩‍👧", "Grüße 你好 👩‍👩‍👧"),
    ],
)
def test_what_a_terminal_would_obey_is_removed(text: str, shown: str) -> None:
    assert strip_controls(text) == shown


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    controls = [c for c in strip_controls(text) if unicodedata.category(c) == "Cc"]
    assert set(controls) <= {"\n", "\t"}


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs"])))
def test_text_without_controls_is_left_as_it_is(text: str) -> None:
    assert strip_controls(text) == text


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_whole_words_and_a_pipe_the_text_as_it_is(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "error: run 'gaia setup' now\n  and\n/a/path/that-is/longer-than/a-line"
    assert in_whole_words(text, StringIO()) == text
    assert in_whole_words(text, Terminal()).split("\n") == [
        "error: run 'gaia",
        "  setup' now",
        "  and",
        "/a/path/that-is/longer-than/a-line",
    ]


def test_a_sentence_goes_on_at_the_margin_and_an_error_below_itself(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    assert in_whole_words("one two three", Terminal(), indent="") == "one two\nthree"
    assert in_whole_words("one two three", Terminal()) == "one two\n  three"
