"""Stored words in a reply: shown as they are, as one line, and as nothing but text."""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from channels.formatting.markdown import parse
from gaia.commands.memory_text import line
from gaia.memory.excerpts import one_line, quoted
from gaia.store.memory_tables import MemoryStatus
from tests.harness.memories import a_memory


def never(_: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "“plain words”"),
        ("call +49 (0)30 12-34, #3!", "“call +49 (0)30 12-34, #3!”"),
        ("snake_case stays, _this_ does not lean", r"“snake_case stays, \_this\_ does not lean”"),
        ("*bold* `code` [link](x)", r"“\*bold\* \`code\` \[link](x)”"),
        ("two\nlines\r\n\tand\x00more", "“two lines and more”"),
        ("he said “no”", '“he said "no"”'),
        ("نان\u200cوایی 👨\u200d👩\u200d👧", "“نان\u200cوایی 👨\u200d👩\u200d👧”"),
        ("a\u202eb\u2066c", "“a b c”"),
    ],
)
def test_words_are_quoted_without_formatting(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_long_words_are_cut_unless_the_whole_is_wanted() -> None:
    assert quoted("x" * 301) == f"“{'x' * 299}…”"
    assert quoted("x" * 301, longest=None) == f"“{'x' * 301}”"


MARKED = st.text(st.sampled_from("ab1 _*`~[]()<>#|\\!&;:/.-+=\"'“”\n"), max_size=40)


@given(MARKED)
@example("&amp; &#42;")
@example("~~gone~~")
@example("\\*a*")
@example("http://a.b/_c_")
@example("|a|b|\n|-|-|")
@example("plan b:<i> or a:[x](y)")
@example("a:\\_b_ and c:\\d")
def test_a_messenger_shows_the_very_words_and_no_formatting(text: str) -> None:
    document = parse(f"#1 (1 May 2026) {quoted(text)}", never)
    words = one_line(text).replace("“", '"').replace("”", '"')
    assert document.text == f"#1 (1 May 2026) “{words}”"
    assert not document.spans


def test_a_pending_correction_says_what_it_corrects() -> None:
    memory = a_memory(7, "I live in Porto", status=MemoryStatus.PENDING, replaces=6)
    assert line(memory) == "#7 (1 January 2026, not sure, in the place of #6) “I live in Porto”"
    assert line(replace(memory, status=MemoryStatus.ACTIVE)) == (
        "#7 (1 January 2026) “I live in Porto”"
    )
