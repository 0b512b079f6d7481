"""Stored words as one line: cut around what was looked for, and harmless."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaia.memory.excerpts import around, one_line, quoted, unescaped
from gaia.memory.text import query_terms


@pytest.mark.parametrize("longest", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("text", ["", "a", "word " * 40, "京都" * 30, "x" * 200])
def test_a_part_is_never_longer_than_it_may_be(text, longest):
    assert len(around(text, query_terms("word"), longest)) <= longest


def test_a_short_text_is_whole_and_on_one_line():
    assert around("one\ntwo\u202e", frozenset(), 20) == "one two"


def test_without_the_words_it_is_the_beginning():
    part = around("first " + "word " * 40, query_terms("missing"), 20)
    assert part.startswith("first word")
    assert part.endswith("…")


def test_the_part_with_most_words_is_shown():
    text = "boat " + "filler " * 30 + "a boat in June " + "filler " * 30
    assert "boat in June" in around(text, query_terms("boat june"), 40)


@given(st.text("ab:\\*_[&;<|~`! #x"))
@example("C:\\_new\\*x")
def test_what_was_quoted_is_as_it_was_where_nobody_reads_markdown(text: str) -> None:
    assert unescaped(f"a\\*b {quoted(text, longest=None)}") == f"a\\*b “{one_line(text)}”"
