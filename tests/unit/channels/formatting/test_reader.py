"""The strict reader of these tests refuses what it should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    "html",
    [
        "a < b",
        "a > b",
        "fish & chips",
        "&nbsp;x",
        "<u>x</u>",
        "<b>x",
        "x</b>",
        "<b><i>x</b></i>",
        "<b>a<b>b</b></b>",
        "<b></b>x",
        "<b> </b>x",
        "<b><code>x</code></b>",
        "<code><i>x</i></code>",
        '<a href="https://a.b"><code>x</code></a>',
        '<a href="javascript:alert(1)">x</a>',
        '<a href="https://a.b/?x=1&y=2">x</a>',
        '<code class="language-py">x</code>',
        '<pre>a<code class="language-py">x</code></pre>',
        "<b><blockquote>x</blockquote></b>",
        "<blockquote>a<blockquote>b</blockquote></blockquote>",
        "  ",
        "x\x00",
        "x ",
        "x" * 4097,
        "😀" * 2049,
        "<b>x</b> " * 100 + "<b>x</b>",
    ],
)
def test_what_telegram_would_refuse_or_change_is_refused(
    telegram: Callable[[str], Any], html: str
) -> None:
    with pytest.raises((AssertionError, IndexError)):
        telegram(html)


def test_what_telegram_takes_is_read(telegram: Callable[[str], Any]) -> None:
    message = telegram(
        "<blockquote>a &lt; <b>b <i>c</i></b> <code>d</code></blockquote>\n"
        '<pre><code class="language-py">e</code></pre> <a href="https://f.g/?h&amp;i">j</a>'
    )
    assert message.text == "a < b c d\ne j"
    assert [(each.kind, each.shown, each.argument) for each in message.entities] == [
        ("i", "c", ""),
        ("b", "b c", ""),
        ("code", "d", ""),
        ("blockquote", "a < b c d", ""),
        ("pre", "e", "py"),
        ("a", "j", "https://f.g/?h&i"),
    ]
