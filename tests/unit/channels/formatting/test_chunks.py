"""Where a document is cut, with small limits so that a person can follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from channels.formatting.chunks import cut
from channels.formatting.document import Document, Span
from channels.formatting.markdown import parse
from channels.formatting.telegram_html import to_html


def pieces(markdown: str, limit: int) -> Sequence[str]:
    def fits(piece: Document) -> bool:
        return len(piece.text) <= limit

    return [to_html(piece) for piece in cut(parse(markdown, lambda _: True), fits)]


CUTS = {
    "between paragraphs": (
        "One two. Three.\n\nFour five.\nSix seven.",
        30,
        ["One two. Three.", "Four five.\nSix seven."],
    ),
    "between lines": (
        "One. Two.\nThree four five six",
        16,
        ["One. Two.", "Three four five", "six"],
    ),
    "between sentences": ("One two three. Four five", 20, ["One two three.", "Four five"]),
    "not behind an abbreviation": ("It is z. B. a day", 14, ["It is z. B. a", "day"]),
    "not behind a number": ("It is the 3. day now", 13, ["It is the 3.", "day now"]),
    "between Chinese sentences": ("你好。今天天气很好。", 8, ["你好。", "今天天气很好。"]),
    "behind a Chinese comma": ("今天，天气很好很好", 7, ["今天，", "天气很好很好"]),  # noqa: RUF001
    "between Arabic sentences": ("كيف حالك؟ أنا بخير", 14, ["كيف حالك؟", "أنا بخير"]),
    "between words": ("aaaa bbbb cccc", 10, ["aaaa bbbb", "cccc"]),
    "within a word": ("aaaabbbbcc", 4, ["aaaa", "bbbb", "cc"]),
    "a word moves on before it is cut": ("a bbbbbbbb", 8, ["a", "bbbbbbbb"]),
    "small pieces are not made for a blank line": (
        "a\n\nbbbb bbbb bbbb bbbb",
        14,
        ["a\n\nbbbb bbbb", "bbbb bbbb"],
    ),
    "flags": ("🇩🇪🇫🇷🇮🇹", 5, ["🇩🇪🇫🇷", "🇮🇹"]),
    "families": ("👨‍👩‍👧👨‍👩‍👧", 9, ["👨‍👩‍👧", "👨‍👩‍👧"]),
    "a family that is longer than the limit": ("👨‍👩‍👧", 4, ["👨‍👩‍", "👧"]),
    "accents": ("e\u0301e\u0301e\u0301", 3, ["e\u0301", "e\u0301", "e\u0301"]),
    "white space with an accent": ("aaaa \u0301bbbb", 6, ["aaaa", " \u0301bbbb"]),
    "before bold": ("aa bb **cc dd** ee", 9, ["aa bb", "<b>cc dd</b> ee"]),
    "within bold": ("a **bb cc dd ee**", 9, ["a <b>bb cc</b>", "<b>dd ee</b>"]),
    "before code": ("aa bb `cc dd` ee", 9, ["aa bb", "<code>cc dd</code> ee"]),
    "before a link": (
        "aa bb [cc dd](https://e.f) gg",
        9,
        ["aa bb", '<a href="https://e.f">cc dd</a> gg'],
    ),
    "within a link": (
        "[cc dd ee](https://e.f)",
        6,
        ['<a href="https://e.f">cc dd</a>', '<a href="https://e.f">ee</a>'],
    ),
    "not behind a heading": (
        "Text.\nText.\n\n# Head\n\nMore text.",
        22,
        ["Text.\nText.", "<b>Head</b>\n\nMore text."],
    ),
    "within a quote": (
        "> **aa** bb\n>\n> cc",
        7,
        ["<blockquote><b>aa</b> bb</blockquote>", "<blockquote>cc</blockquote>"],
    ),
    "a quote is no reason to cut before it": (
        "aa\n\n> bb\n>\n> cc",
        8,
        ["aa\n\n<blockquote>bb</blockquote>", "<blockquote>cc</blockquote>"],
    ),
    "within a list": ("- aa\n- bb\n- cc", 9, ["• aa\n• bb", "• cc"]),
    "code stays whole": (
        "a\n```\nb\n\nc\n```\nd",
        5,
        ["a", "<pre>b\n\nc</pre>", "d"],
    ),
    "a heading goes with the code": (
        "aaa\n\n# H\n```\nbb\nbb\n```",
        11,
        ["aaa", "<b>H</b>\n<pre>bb\nbb</pre>"],
    ),
    "long code is cut between lines and keeps its language": (
        "```py\nif a:\n    bb\n    cc\n```",
        11,
        [
            '<pre><code class="language-py">if a:</code></pre>',
            '<pre><code class="language-py">    bb</code></pre>',
            '<pre><code class="language-py">    cc</code></pre>',
        ],
    ),
    "long code is best cut at an empty line": (
        "```\naa\nbb\n\ncc\ndd\n```",
        11,
        ["<pre>aa\nbb</pre>", "<pre>cc\ndd</pre>"],
    ),
    "code in a quote": (
        "> ```\n> aa\n> bb\n> ```",
        3,
        [
            "<blockquote><pre>aa</pre></blockquote>",
            "<blockquote><pre>bb</pre></blockquote>",
        ],
    ),
    "only invisible characters in a piece": (
        "aa" + "\u200b" * 20 + " bb",
        4,
        ["aa\u200b\u200b", "bb"],
    ),
    "nothing": ("\n \u200b", 4, []),
    "what fits": ("a\n\nb", 4, ["a\n\nb"]),
}


@pytest.mark.parametrize(("markdown", "limit", "expected"), CUTS.values(), ids=CUTS)
def test_a_text_is_cut(markdown: str, limit: int, expected: list[str]) -> None:
    assert pieces(markdown, limit) == expected


class CountedSpans(tuple[Span, ...]):
    """Knows how many spans were looked at."""

    looks = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.looks += len(found)
        return found


def test_cutting_looks_at_each_span_a_few_times_however_long_the_text_is() -> None:
    document = parse("> " + "**a** b " * 5000, lambda _: True)
    spans = CountedSpans(document.spans)
    parts = cut(Document(document.text, spans), lambda piece: len(piece.text) <= 400)
    assert len(parts) > 40
    assert spans.looks < 50 * len(spans)


def test_a_limit_may_count_spans() -> None:
    document = parse("**a** b **c** d **e**", lambda _: True)
    cut_up = cut(document, lambda piece: len(piece.spans) <= 2)
    assert [to_html(piece) for piece in cut_up] == ["<b>a</b> b <b>c</b> d", "<b>e</b>"]


def test_where_nothing_fits_a_piece_is_one_code_point() -> None:
    assert [piece.text for piece in cut(Document("ab"), lambda _: False)] == ["a", "b"]
