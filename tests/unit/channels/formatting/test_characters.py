from __future__ import annotations

import pytest

from channels.formatting.characters import clean, display_width, is_blank, utf16_length


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc\x85d\u2028e\x0cf", "a\nb\nc\nd\ne\nf"),
        ("\x00a\x07\x1b[1m\x7f\x9b", "a[1m"),
        ("\ud83d\ude00 \udc00", "\ufffd\ufffd \ufffd"),
        ("Grüße 你好 👩‍👩‍👧", "Grüße 你好 👩‍👩‍👧"),
    ],
)
def test_what_a_messenger_does_not_take_is_removed(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("", True),
        (" \n\u00a0\u3000", True),
        ("\u200b\u200e\ufeff\u2060", True),
        ("\u2800\u3164", True),
        ("\u200b.", False),
        ("\u0301", False),
        ("\ufffd", False),
    ],
)
def test_a_text_is_blank(text: str, blank: bool) -> None:
    assert is_blank(text) is blank


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("äöü", 3),
        ("e\u0301", 1),
        ("中文", 4),
        ("👨‍👩‍👧", 2),
        ("🇩🇪", 2),
        ("❤\ufe0f", 2),
        ("\u0301", 0),
        ("", 0),
    ],
)
def test_a_text_takes_columns(text: str, columns: int) -> None:
    assert display_width(text) == columns


def test_utf16_counts_units() -> None:
    assert (utf16_length("aä中"), utf16_length("😀")) == (3, 2)
