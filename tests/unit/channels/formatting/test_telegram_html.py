"""What only Telegram wants: its limits, its addresses, its HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from channels.formatting.characters import utf16_length
from channels.formatting.document import Document, Span, Style
from channels.formatting.telegram_html import (
    MOST_UNITS,
    is_link,
    plain,
    spelled_out,
    split,
    to_html,
)
from gaia.messages import REPEAT_MARK


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.b", True),
        ("http://www.a-b.co.uk:8080/c?d=e#f", True),
        ("HTTPS://A.B/", True),
        ("https://127.0.0.1/", True),
        ("tg://user?id=1", True),
        ("tg://resolve?domain=a&start=b", True),
        ("http://localhost/", False),
        ("https://a..b", False),
        ("https://a.b:port/", False),
        ("https://user:word@a.b/", False),
        ("https://a.b/ c", False),
        ("https://a.b/\n", False),
        ("//a.b/c", False),
        ("a.b", False),
        ("mailto:a@b.c", False),
        ("tel:+491234", False),
        ("javascript:alert('https://a.b')", False),
        ("data:text/html,https://a.b", False),
        ("ftp://a.b", False),
        ("", False),
    ],
)
def test_telegram_keeps_a_link(url: str, kept: bool) -> None:
    assert is_link(url) is kept


def test_an_address_and_a_language_cannot_end_their_attributes() -> None:
    link = Document("a", (Span(0, 1, Style.LINK, 'https://a.b/"><b>&'),))
    code = Document("a", (Span(0, 1, Style.PRE, '"<'),))
    assert to_html(link) == '<a href="https://a.b/&quot;&gt;&lt;b&gt;&amp;">a</a>'
    assert to_html(code) == '<pre><code class="language-&quot;&lt;">a</code></pre>'


def test_every_chunk_has_room_for_the_mark_of_a_repeat() -> None:
    chunks = split("😀" * 5000 + " word" * 2000, room=len(REPEAT_MARK))
    longest = max(utf16_length(REPEAT_MARK + plain(chunk)) for chunk in chunks)
    assert MOST_UNITS - 2 < longest <= MOST_UNITS


def test_formatting_does_not_count_against_the_limit() -> None:
    text = f"[{'a' * 2000}](https://b.c/{'d' * 3000}) &&&& <<<< " + "e" * 2000
    assert len(split(text, room=0)) == 1


def test_a_chunk_has_no_more_entities_than_telegram_keeps(telegram: Callable[[str], Any]) -> None:
    chunks = split("**a** `b` " * 120, room=0)
    assert [len(telegram(chunk).entities) for chunk in chunks] == [100, 100, 40]


def test_the_addresses_of_a_chunk_are_no_more_than_telegram_takes(
    telegram: Callable[[str], Any],
) -> None:
    news = "".join(f"- [Headline {n}](https://a.b/{n}{'c' * 390})\n" for n in range(40))
    chunks = split(news, room=0)
    links = [telegram(chunk).entities for chunk in chunks]
    assert [len(each) for each in links] == [19, 19, 2]


def test_an_address_that_no_message_holds_stands_in_the_text() -> None:
    address = f"https://a.b/{'c' * 9000}"
    chunks = split(f"[all of it]({address})", room=0)
    assert "".join(map(plain, chunks)) == f"all of it({address})"


def test_addresses_stand_behind_their_words_as_far_as_there_is_room() -> None:
    (html,) = split("[a **b**](https://a.b/?c&d) & [e](https://f.g/) & [h](tg://i)", room=0)
    whole = "a b (https://a.b/?c&d) & e (https://f.g/) & h (tg://i)"
    assert spelled_out(html) == whole
    assert spelled_out(html, len(whole)) == whole
    assert spelled_out(html, len(whole) - 1) == "a b (https://a.b/?c&d) & e (https://f.g/) & h"
    assert spelled_out(html, 3) == plain(html)


def test_a_table_is_sent_whole(telegram: Callable[[str], Any]) -> None:
    table = "|n|square|\n|-|-|\n" + "".join(f"|{n}|{n * n}|\n" for n in range(250))
    chunks = split("word " * 400 + "\n\n" + table, room=17)
    assert [len(telegram(chunk).entities) for chunk in chunks] == [0, 1]


def test_text_without_formatting_is_told_from_its_html() -> None:
    html = '<b>1 &lt; 2</b> &amp;amp; <a href="https://a.b/?c&amp;d=&quot;">"x"</a>'
    assert plain(html) == '1 < 2 &amp; "x"'
    assert plain(REPEAT_MARK + html) == REPEAT_MARK + '1 < 2 &amp; "x"'


@pytest.mark.parametrize("blank", ["", " \n\t", "\x00", "\u200b\ufeff", "&nbsp;"])
def test_a_text_that_shows_nothing_is_no_message(blank: str) -> None:
    chunks = split(blank, room=0)
    assert chunks == (["&amp;nbsp;"] if blank == "&nbsp;" else [])
