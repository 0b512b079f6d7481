"""What only WhatsApp wants: its marks, what looks like them, and their length.

A word joiner, which nobody sees, is written as `¦`.
"""

from __future__ import annotations

import pytest

from channels.formatting.characters import utf16_length
from channels.formatting.whatsapp_text import MOST_UNITS, split
from gaia.messages import REPEAT_MARK
from tests.harness.whatsapp_text import plain

FORMATTING = {
    "emphasis": ("**bold** *it* ~~gone~~", "*bold* _it_ ~gone~"),
    "both": ("***both***", "_*both*_"),
    "nested": ("**a *b* c**", "*a _b_ c*"),
    "headings": ("# One\n\n## *Two*\ntext", "*One*\n\n*_Two_*\ntext"),
    "over lines": ("**one\ntwo**", "*one*\n*two*"),
    "over lines of a list": ("- **one\n  two**", "• *one*\n  *two*"),
    "beside punctuation": ("(**a**), «**b**»: **c**!", "(*a*), «*b*»: *c*!"),
    "beside other formatting": ("**a!***(b)*", "*a!*_(b)_"),
    "around code": ("**use `x` now**", "*use* `x` *now*"),
    "within a word": ("un**believ**able, 请**注意**。", "unbelievable, 请注意。"),
    "beside a mark": (r"**a\***", "a*"),
    "a list": ("- a\n  1. b\n- [x] c", "• a\n  1. b\n☑ c"),
    "a quote": ("> **a\n> b**\n>\n> - c\n\nd", "> *a*\n> *b*\n\n> • c\n\nd"),
    "a quote in a quote": ("> a\n> > b", "> a\n> > b"),
}
CODE = {
    "in a line": ("`a*b* _c_`", "`a*b* _c_`"),
    "within a word": ("`foo`s", "```foo```s"),
    "with a mark of its own": ("``a`b`` `` `c` ``", "```a`b``` ``` `c` ```"),
    "a block": ("a\n```py\nif x:\n    *y*\n```\nb", "a\n```if x:\n    *y*```\nb"),
    "a block in a quote": ("> a\n> ```\n> b\n> ```\n> c", "> a\n```b```\n> c"),
    "a fence in a block": ("~~~\n```\nx\n```\n~~~", "```\n`¦`¦`\nx\n`¦`¦`\n```"),
    "a table": ("|a|b|\n|-|-|\n|*c*|d|", "```a | b\n--+--\nc | d```"),
}
LITERAL = {
    "within words": ("snake_case_name 2*3*4 2**10", "snake_case_name 2*3*4 2**10"),
    "between spaces": ("2 * 3 * 4", "2 * 3 * 4"),
    "alone": (r"~/x \*.py", "~/x *.py"),
    "before words only": ("~/x ~/y *.py *.txt", "~/x ~/y *.py *.txt"),
    "around words": (r"\*a\* b\_ \_c\_", "¦*¦a¦*¦ b_ ¦_¦c¦_¦"),
    "in different lines": ("\\*a\nb\\*", "*a\nb*"),
    "behind formatting": (r"**a** b\*", "*a* b¦*¦"),
    "around formatting": (r"\*a **b** c\*", "¦*¦a *b* c¦*¦"),
    "not in a word of everybody's": (r"é\_x\_é", "é¦_¦x¦_¦é"),
    "of code": (r"\`x\`", "¦`¦x¦`¦"),
    "of a quote": ("\\> a\nb > c", "¦> a\nb > c"),
    "a joiner of the text": ("a&NoBreak;b `c\u2060`", "ab `c`"),
}
LINKS = {
    "a link": ("[a](https://b.c/d)", "a (https://b.c/d)"),
    "itself": ("[https://a.b](https://a.b/) <c@d.e>", "https://a.b c@d.e"),
    "in bold": ("**[a](https://b.c)**", "*a (https://b.c)*"),
    "bold at its end": ("**see https://b.c**", "see https://b.c"),
    "marks within words": ("https://a.b/c_d_e/f*g", "https://a.b/c_d_e/f*g"),
    "marks at edges": ("[a](https://b.c/_d_)", "a (https://b.c/%5Fd%5F)"),
    "marks of something else": ("https://a.b/~c and ~d", "https://a.b/~c and ~d"),
    "beside formatting": ("*a* https://b.c/d_/", "_a_ https://b.c/d%5F/"),
    "behind a backtick": (r"https://a.b\`", "https://a.b¦`¦"),
}
CASES = [
    pytest.param(markdown, text, id=f"{group}: {name}")
    for group, cases in {
        "formatting": FORMATTING,
        "code": CODE,
        "literal": LITERAL,
        "links": LINKS,
    }.items()
    for name, (markdown, text) in cases.items()
]


@pytest.mark.parametrize(("markdown", "text"), CASES)
def test_markdown_is_written_as(markdown: str, text: str) -> None:
    assert [chunk.replace("\u2060", "¦") for chunk in split(markdown, room=0)] == [text]


LONG = {
    "wide characters": "😀" * 3000,
    "emphasis": "*a* " * 2000,
    "emphasis over lines": "**" + "a\n" * 2000 + "a**",
    "quoted lines": "> **word**\n" * 900,
    "code": "`c` " * 1000,
    "code within words": "d`c`d" * 1000,
    "code with marks": "`` `c` `` " * 1000,
    "marks of the text": r"\*a\* " * 900,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_marks_and_the_mark_of_a_repeat_count_against_the_limit(text: str) -> None:
    chunks = split(text, room=len(REPEAT_MARK))
    longest = max(utf16_length(REPEAT_MARK + chunk) for chunk in chunks)
    assert MOST_UNITS // 3 < longest <= MOST_UNITS


def test_prose_fills_its_chunks() -> None:
    chunks = split("Seven words and **no more** than that. " * 200, room=0)
    assert all(len(chunk) > MOST_UNITS - 100 for chunk in chunks[:-1])


def test_a_long_block_of_code_is_closed_and_opened_again() -> None:
    lines = [f"    value_{n} = *{n}*" for n in range(200)]
    chunks = split("```py\n" + "\n".join(lines) + "\n```", room=0)
    assert len(chunks) > 1
    assert all(chunk.startswith("```    value") and chunk.endswith("*```") for chunk in chunks)
    assert "\n".join(plain(chunk) for chunk in chunks) == "\n".join(lines)


def test_the_plain_text_has_no_marks() -> None:
    (chunk,) = split(
        "# A\n> **b _c_** `*d*` \\*e\\* 2*3*4\n\n```\n> *f*\n```\n[g](https://h.i)", room=0
    )
    assert plain(chunk) == "A\nb c *d* *e* 2*3*4\n\n> *f*\ng (https://h.i)"


@pytest.mark.parametrize("blank", ["", " \n\t", "\x00", "\u200b\ufeff", "\u2060"])
def test_a_text_that_shows_nothing_is_no_message(blank: str) -> None:
    assert split(blank, room=0) == []
