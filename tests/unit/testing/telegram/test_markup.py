"""HTML is read as Telegram reads it, and refused in its words."""

from __future__ import annotations

import pytest

from tests.servers.telegram.markup import parse_html
from tests.servers.telegram.refusals import ApiRefusal
from tests.servers.telegram.texts import Entity, as_kept


def kept(html: str) -> tuple[str, list[tuple[str, int, int, str]]]:
    rich = as_kept(parse_html(html))
    return rich.text, [(e.kind, e.offset, e.length, e.argument) for e in rich.entities]


@pytest.mark.parametrize(
    ("html", "text", "entities"),
    [
        ("plain", "plain", []),
        ("<b>x</b>", "x", [("bold", 0, 1, "")]),
        ("<STRONG>x</Strong>", "x", [("bold", 0, 1, "")]),
        ("<i>b</i><u>c</u>", "bc", [("italic", 0, 1, ""), ("underline", 1, 1, "")]),
        ("a<del>d</del>", "ad", [("strikethrough", 1, 1, "")]),
        ('<code class="language-py">x</code>', "x", [("code", 0, 1, "")]),
        ("\u202e<b>x\r</b>y<i>z</i>", "xyz", [("bold", 0, 1, ""), ("italic", 2, 1, "")]),
        ("<b>x<i>y</i></b>", "xy", [("bold", 0, 2, ""), ("italic", 1, 1, "")]),
        ("<tg-spoiler>x</tg-spoiler>", "x", [("spoiler", 0, 1, "")]),
        ('<span class="tg-spoiler">x</span>', "x", [("spoiler", 0, 1, "")]),
        ("<code>x</code>", "x", [("code", 0, 1, "")]),
        ("<pre>x</pre>", "x", [("pre", 0, 1, "")]),
        ('<pre><code class="language-py">x</code></pre>', "x", [("pre", 0, 1, "py")]),
        ("<pre><code>x</code></pre>", "x", [("pre", 0, 1, "")]),
        ("<blockquote><b>y</b></blockquote>", "y", [("blockquote", 0, 1, ""), ("bold", 0, 1, "")]),
        ("<blockquote expandable>x</blockquote>", "x", [("expandable_blockquote", 0, 1, "")]),
        ('<a href="http://a.b/?c&amp;d">x</a>', "x", [("text_link", 0, 1, "http://a.b/?c&d")]),
        ("<a href='example.org'>x</a>", "x", [("text_link", 0, 1, "http://example.org/")]),
        ('<a href="nonsense">x</a>', "x", []),
        ("<a>http://a.b</a>", "http://a.b", [("text_link", 0, 10, "http://a.b")]),
        ("&lt;&gt;&amp;&quot;&#33;&#x21;", '<>&"!!', []),
        ("&nbsp; &copy", "&nbsp; &copy", []),
        ("a < b", None, []),
        ("😀<b>x</b>", "😀x", [("bold", 2, 1, "")]),
        ("<b>👩‍👩‍👧</b>", "👩‍👩‍👧", [("bold", 0, 8, "")]),
        ("<b></b>x", "x", []),
        ("<b> </b>x", " x", []),
        ("<b>x </b>\n ", "x", [("bold", 0, 1, "")]),
        ("  <b>x</b>", "x", [("bold", 0, 1, "")]),
        ("<code>a<b>b</b></code>", "ab", [("code", 0, 2, "")]),
        ("<b>a<code>b</code></b>", "ab", [("bold", 0, 1, ""), ("code", 1, 1, "")]),
        ("<b><code>b</code>c</b>", "bc", [("code", 0, 1, ""), ("bold", 1, 1, "")]),
        ("<code>/help @someone</code>", "/help @someone", [("code", 0, 14, "")]),
        ("<b>/help</b>", "/help", [("bot_command", 0, 5, ""), ("bold", 0, 5, "")]),
    ],
)  # fmt: skip
def test_markup_becomes_text_and_entities(
    html: str, text: str | None, entities: list[tuple[str, int, int, str]]
) -> None:
    if text is None:
        with pytest.raises(ApiRefusal):
            kept(html)
    else:
        assert kept(html) == (text, entities)


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("é<x>y</x>", 'Unsupported start tag "x" at byte offset 2'),
        ("1 < 2", "Unsupported start tag"),
        ("a<b", "Unclosed start tag at byte offset 1"),
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
        ('<span class="x">x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ('<a ="x">x</a>', 'Empty attribute name in the tag "a" at byte offset 0'),
        ("<a href=a$b>x</a>", "Unexpected end of name token at byte offset 8"),
        ("<a href='x>x</a>", "Unclosed start tag at byte offset 0"),
        ("<!-- x -->", 'Unsupported start tag "!--" at byte offset 0'),
    ],
)
def test_bad_markup_is_refused_in_the_words_of_telegram(html: str, reason: str) -> None:
    with pytest.raises(ApiRefusal) as caught:
        parse_html(html)
    assert caught.value.description.startswith(f"Bad Request: can't parse entities: {reason}")


def test_entities_beyond_a_hundred_are_dropped() -> None:
    rich = as_kept(parse_html(" ".join(["<b>x</b>"] * 101)))
    assert len(rich.entities) == 100
    assert rich.entities[-1] == Entity("bold", 198, 1)
