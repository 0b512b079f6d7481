"""What a person sees of Markdown: the text and the formatting that Telegram shows."""

from __future__ import annotations

import pytest

from channels.formatting.markdown import parse
from channels.formatting.telegram_html import is_link, to_html

EMPHASIS = {
    "bold": ("**bold** and __bold__", "<b>bold</b> and <b>bold</b>"),
    "italic": ("*it* and _it_", "<i>it</i> and <i>it</i>"),
    "both": ("***both***", "<i><b>both</b></i>"),
    "struck": ("~~gone~~ ~not~", "<s>gone</s> ~not~"),
    "nested": ("**a *b* c**", "<b>a <i>b</i> c</b>"),
    "the same within itself": ("**a __b__ c**", "<b>a b c</b>"),
    "across lines": ("**one\ntwo**", "<b>one\ntwo</b>"),
    "underscores in words": ("a snake_case_name and x_y.py", "a snake_case_name and x_y.py"),
    "a lone star": ("2 * 3 * 4", "2 * 3 * 4"),
    "products and powers": ("2*3*4 and 2**3**4", "2*3*4 and 2**3**4"),
    "unclosed": ("**not closed and `neither", "**not closed and `neither"),
    "escaped": (r"\*stars\* and \_lines\_", "*stars* and _lines_"),
    "beside Chinese": ("**《注意》**这是。", "<b>《注意》</b>这是。"),
    "beside Japanese": ("は**「太字」**です", "は<b>「太字」</b>です"),
    "beside Korean": ('**"강조"**는 ~~(b)~~가', '<b>"강조"</b>는 <s>(b)</s>가'),
    "within Chinese words": ("中**文**字", "中<b>文</b>字"),
    "around nothing": ("a **&nbsp;** b", "a \u00a0 b"),
    "around code": ("**use `x` now**", "<b>use</b> <code>x</code> <b>now</b>"),
}
LINES = {
    "line ends stay": ("one\ntwo  \nthree\\\nfour", "one\ntwo\nthree\nfour"),
    "paragraphs": ("one\n\n\n\ntwo", "one\n\ntwo"),
    "a rule": ("one\n\n---\n\ntwo", "one\n\n——————————\n\ntwo"),
    "headings": ("# One\n\n## Two\nText", "<b>One</b>\n\n<b>Two</b>\nText"),
    "a heading with emphasis": ("# A **b** *c* `d`", "<b>A b <i>c</i></b> <code>d</code>"),
    "an underlined heading": ("Title\n=====\ntext", "<b>Title</b>\ntext"),
    "windows line ends": ("one\r\n\r\ntwo\rthree", "one\n\ntwo\nthree"),
    "control characters": ("a\x07b &#12;c", "ab \nc"),
    "entities": ("&copy; &lt;b&gt; &amp; &#7;", "© &lt;b&gt; &amp; \ufffd"),
}
HTML = {
    "tags": ("a <b>bold</b> tag", "a &lt;b&gt;bold&lt;/b&gt; tag"),
    "a block": ("<div>\n*hi*\n</div>", "&lt;div&gt;\n<i>hi</i>\n&lt;/div&gt;"),
    "a comment": ("<!-- seen -->", "&lt;!-- seen --&gt;"),
    "angle brackets": ("if a < b && b > c", "if a &lt; b &amp;&amp; b &gt; c"),
    "a generic type": ("Use Vec<String>.", "Use Vec&lt;String&gt;."),
    "quotes": ("\"a\" 'b'", "\"a\" 'b'"),
}
LISTS = {
    "bullets": ("- a\n* b\n+ c", "• a\n• b\n• c"),
    "directly below text": ("Buy:\n- milk\n- eggs", "Buy:\n• milk\n• eggs"),
    "nested": ("- a\n  - b\n    - c\n- d", "• a\n  • b\n    • c\n• d"),
    "numbers": ("1. a\n2. b\n3) c", "1. a\n2. b\n3) c"),
    "numbers from seven": ("7. a\n8. b", "7. a\n8. b"),
    "counting down": ("3. a\n2. b\n1. c", "3. a\n2. b\n1. c"),
    "all ones": ("1. a\n1. b\n1. c", "1. a\n2. b\n3. c"),
    "bullets below numbers": ("1. a\n   - b\n2. c", "1. a\n   • b\n2. c"),
    "with empty lines": ("1. a\n\n   more\n\n2. b", "1. a\n\n   more\n\n2. b"),
    "a line that goes on": ("- a\n  b\nc", "• a\n  b\n  c"),
    "tasks": ("- [ ] a\n- [x] b\n1. [X] c", "☐ a\n☑ b\n1. ☑ c"),
    "an empty item": ("- a\n-\n- b", "• a\n•\n• b"),
    "code in an item": ("- a\n  ```\n  x\n  ```\n- b", "• a\n<pre>x</pre>\n• b"),
    "code first in an item": ("- ```\n  x\n  ```", "•\n<pre>x</pre>"),
    "bold and code": ("- **a**: `b`", "• <b>a</b>: <code>b</code>"),
}
CODE = {
    "inline": ("`a < b`", "<code>a &lt; b</code>"),
    "with stars": ("`**x**`", "<code>**x**</code>"),
    "in a table": ("|a|b|\n|-|-|\n|`x`|y|", "<pre>a | b\n--+--\nx | y</pre>"),
    "a fence": ("```\na\n\n  b\n```", "<pre>a\n\n  b</pre>"),
    "a language": ("```py\nx\n```", '<pre><code class="language-py">x</code></pre>'),
    "c++": ("```c++\nx\n```", '<pre><code class="language-c++">x</code></pre>'),
    "an odd language": ('```a"b\nx\n```', 'a"b\n<pre>x</pre>'),
    "a title": ("```py t.py\nx\n```", 't.py\n<pre><code class="language-py">x</code></pre>'),
    "the indent of the first line": ("```\n    a\n  b\n```", "<pre>    a\n  b</pre>"),
    "empty lines around": ("```\n\n\na\n\n```", "<pre>a</pre>"),
    "tabs": ("```\nif x:\n\ty\n```", "<pre>if x:\n    y</pre>"),
    "an open fence": (
        "Try:\n```py\nx = 1",
        'Try:\n<pre><code class="language-py">x = 1</code></pre>',
    ),
    "a fence that just began": ("Try:\n```py", "Try:\npy"),
    "text right behind": ("```\na\n```\nb", "<pre>a</pre>\nb"),
    "html": ("```\n<b>&amp;\n```", "<pre>&lt;b&gt;&amp;amp;</pre>"),
}
QUOTES = {
    "a quote": ("> a\n> b", "<blockquote>a\nb</blockquote>"),
    "formatting": ("> **a** `b`", "<blockquote><b>a</b> <code>b</code></blockquote>"),
    "code": ("> ```\n> x\n> ```", "<blockquote><pre>x</pre></blockquote>"),
    "indented code": (">     x\n>       y", "<blockquote><pre>x\n  y</pre></blockquote>"),
    "a list": ("> a\n> - b\n> - c", "<blockquote>a\n• b\n• c</blockquote>"),
    "a quote within": ("> a\n> > b\n>\n> c", "<blockquote>a\n&gt; b\n\nc</blockquote>"),
    "bold in a quote within": ("> > **a**", "<blockquote>&gt; <b>a</b></blockquote>"),
    "in a list": ("- a\n  > b\n- c", "• a\n<blockquote>b</blockquote>\n• c"),
}
TABLES = {
    "columns": (
        "|Name|Qty|\n|:--|--:|\n|Tea|2|\n|Coffee|10|",
        "<pre>Name   | Qty\n-------+----\nTea    |   2\nCoffee |  10</pre>",
    ),
    "centred": ("|abc|d|\n|:-:|-|\n|x|y|", "<pre>abc | d\n----+--\n x  | y</pre>"),
    "wide characters": (
        "|中文|b|\n|-|-|\n|a|👨‍👩‍👧|\n|é|x|",
        "<pre>中文 | b\n-----+---\na    | 👨‍👩‍👧\né    | x</pre>",
    ),
    "more cells than headings": ("|a|\n|-|\n|b|c|d|", "<pre>a |   |\n--+---+--\nb | c | d</pre>"),
    "without a heading": ("| | |\n|-|-|\n|a|b|", "<pre>a | b</pre>"),
    "two lines in a cell": ("|a|b|\n|-|-|\n|x<br>y|z|", "<pre>a | b\n--+--\nx | z\ny |</pre>"),
    "in a quote": (
        "> |a|\n> |-|\n> |c|d|",
        "<blockquote><pre>a |\n--+--\nc | d</pre></blockquote>",
    ),
    "too wide": (
        f"|Name|Text|\n|-|-|\n|A|{'long ' * 11}|\n|B||",
        f"<b>Name</b>: A\n<b>Text</b>: {'long ' * 11}"[:-1] + "\n\n<b>Name</b>: B\n<b>Text</b>: —",
    ),
    "too wide, with a link": (
        f"|Site|\n|-|\n|[x](https://a.b/{'c' * 50})|",
        f'<b>Site</b>: <a href="https://a.b/{"c" * 50}">x</a>',
    ),
}
LINKS = {
    "a link": ("[a](https://b.c/d)", '<a href="https://b.c/d">a</a>'),
    "with formatting": ("[**a** b](https://c.d)", '<a href="https://c.d"><b>a</b> b</a>'),
    "in bold": ("**[a](https://b.c)**", '<b><a href="https://b.c">a</a></b>'),
    "around code": ("[`a` b](https://c.d)", '<a href="https://c.d">a b</a>'),
    "an ampersand": ("[a](https://b.c/?d=1&e=2)", '<a href="https://b.c/?d=1&amp;e=2">a</a>'),
    "a quote in it": ('[a](<https://b.c/"x">)', '<a href="https://b.c/%22x%22">a</a>'),
    "an umlaut": ("[a](https://bär.de/ö)", '<a href="https://xn--br-via.de/%C3%B6">a</a>'),
    "itself": ("<https://a.b/c> [https://a.b](https://a.b)", "https://a.b/c https://a.b"),
    "itself, encoded": ("[https://a.b/ö](https://a.b/%C3%B6)", "https://a.b/ö"),
    "its own name": ("[a.b/c](https://a.b/c/)", "a.b/c"),
    "plain": ("see https://a.b/c_d_e", "see https://a.b/c_d_e"),
    "another one's name": ("[a.b](https://c.d)", '<a href="https://c.d">a.b</a>'),
    "mail": ("[Ann](mailto:ann@a.b) <bob@a.b>", "Ann (ann@a.b) bob@a.b"),
    "a phone": ("[call](tel:+4912345)", "call (+4912345)"),
    "telegram": ("[me](tg://user?id=7)", '<a href="tg://user?id=7">me</a>'),
    "a script": ("[a](javascript:alert(1))", "a (javascript:alert(1))"),
    "a file": ("[a](file:///etc/passwd)", "a (file:///etc/passwd)"),
    "relative": ("[a](docs/b.md) [c](#d)", "a (docs/b.md) c (#d)"),
    "a host without a dot": ("[a](http://localhost:80)", "a (http://localhost:80)"),
    "no label": ("[](https://a.b)", "https://a.b"),
    "no address": ("[a]()", "a"),
    "a title": ('[a](https://b.c "d")', '<a href="https://b.c">a</a> (d)'),
    "a reference": ("[a][1]\n\n[1]: https://b.c", '<a href="https://b.c">a</a>'),
    "an unused reference": ("a\n\n[1]: https://b.c 'd'", 'a\n\n[1]: https://b.c "d"'),
    "an image": ("![cat](https://a.b/c.png)", '<a href="https://a.b/c.png">cat</a>'),
    "an image without words": ("![](https://a.b/c.png)", "https://a.b/c.png"),
    "an image in a link": (
        "[![a](https://b.c/d.svg)](https://e.f)",
        '<a href="https://e.f">a (https://b.c/d.svg)</a>',
    ),
    "a footnote": ("a[^1]\n\n[^1]: b c", "a[^1]\n\n[^1]: b c"),
}
NOTHING_TO_SEE = {
    "a fence": ("```", "```"),
    "a heading": ("#", "#"),
    "a quote": ("\n> \n", "&gt;"),
    "too deep to read": ("a\n\n" + ">" * 70 + "b", "a\n\n" + "&gt;" * 70 + "b"),
    "white space": (" \n\t ", ""),
}
TABLE_OF_CASES = [
    pytest.param(markdown, html, id=f"{group}: {name}")
    for group, cases in {
        "emphasis": EMPHASIS,
        "lines": LINES,
        "html": HTML,
        "lists": LISTS,
        "code": CODE,
        "quotes": QUOTES,
        "tables": TABLES,
        "links": LINKS,
        "nothing to see": NOTHING_TO_SEE,
    }.items()
    for name, (markdown, html) in cases.items()
]


@pytest.mark.parametrize(("markdown", "html"), TABLE_OF_CASES)
def test_markdown_is_seen_as(markdown: str, html: str) -> None:
    assert to_html(parse(markdown, is_link)) == html


def test_a_channel_without_links_shows_addresses() -> None:
    assert parse("[a](https://b.c)", lambda _: False).text == "a (https://b.c)"
