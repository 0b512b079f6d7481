"""What holds for any text whatever: nothing lost, within the limits, valid, readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from unicodedata import category

import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from channels.formatting.characters import clean, is_blank, utf16_length
from channels.formatting.chunks import cut
from channels.formatting.document import Document, Style
from channels.formatting.markdown import parse
from channels.formatting.telegram_html import MOST_UNITS, is_link, plain, split, to_html
from tests.harness.effort import rounds

WORD = "WORD"
MARKUP = [
    *("*", "**", "_", "__", "~~", "`", "``", "\\", "<", ">", "&", "&nbsp;", "|", "\t", " ", "  "),
    *("\n", "\n\n", "\n- ", "\n  - ", "\n    - ", "\n1. ", "\n- [ ] ", "\n> ", "\n> > ", "\n# "),
    *("\n```\n", "\n```py\n", "\n~~~ x y\n", "\n    ", "\n---\n", "\n|a|b|\n|-|:-:|\n|", "<br>"),
    *("[", "]", "](https://a.b/", ")", "![", "](x ", "\n[w1]: ", "[w1]", "<https://a.b/", '"', "'"),
    *("。", "، ", ". ", "! ", "👨‍👩‍👧", "🇩🇪", "e\u0301", "中文", "مرحبا", "\u200b", "\x00", "\r\n"),
]
CLUSTERS = [
    "a",
    "b. ",
    " ",
    "\n",
    "。",
    "、",
    "e\u0301",
    "👨‍👩‍👧",
    "🇩🇪",
    "\u0301",
    "\u200d",
]
MARKDOWN = st.lists(st.one_of(st.just(WORD), st.sampled_from(MARKUP)), max_size=60).map(
    lambda parts: "".join(f" w{n} " if each is WORD else each for n, each in enumerate(parts))
)
MANY = settings(max_examples=rounds(25, thorough=300), deadline=None)


def seen(text: str) -> str:
    """`text` without what nobody sees, which a cut may drop."""
    return "".join(each for each in text if not each.isspace() and category(each) != "Cf")


def pieces(document: Document, limit: int) -> Sequence[Document]:
    return cut(document, lambda piece: utf16_length(piece.text) <= limit)


@MANY
@given(markdown=MARKDOWN, limit=st.integers(2, 120))
def test_all_of_a_document_is_in_its_pieces_in_order(markdown: str, limit: int) -> None:
    document = parse(markdown, is_link)
    parts = pieces(document, limit)
    assert seen("".join(part.text for part in parts)) == seen(document.text)
    assert not any(is_blank(part.text) for part in parts)
    assert all(utf16_length(part.text) <= limit for part in parts)


@MANY
@given(markdown=MARKDOWN)
@example("[w1](x")
@example("|a|\n|-|\n| w1 | w2 | w3 |")
@example("\n[w1]: w2 'w3'\n[w1]: w4")
@example("~~~ w1 w2\n")
def test_every_word_is_seen_or_is_where_a_link_leads(markdown: str) -> None:
    document = parse(markdown, is_link)
    kept = " ".join([document.text, *(span.argument for span in document.spans)])
    written = re.sub(r"\[\s*w1\s*\]", " ", markdown)
    assert set(re.findall(r"w\d+", written)) <= set(re.findall(r"w\d+", kept))


@MANY
@given(markdown=MARKDOWN, longest=st.integers(20, 200))
def test_every_chunk_is_what_telegram_takes(
    telegram: Callable[[str], Any], markdown: str, longest: int
) -> None:
    for chunk in split(markdown, room=MOST_UNITS - longest):
        message = telegram(chunk)
        assert message.text == plain(chunk)
        assert utf16_length(message.text) <= longest


@MANY
@given(text=st.text(st.characters(), max_size=200), longest=st.integers(2, 60))
@example("\ud800", 2)
@example("\ud83d\ude00", 2)
@example("[a](http://[)", 60)
@example("[a](https://\ud800.de)", 60)
@example("[a](https://xn--a.de:99999999)", 60)
def test_any_unicode_is_a_message_or_blank(
    telegram: Callable[[str], Any], text: str, longest: int
) -> None:
    chunks = split(text, room=MOST_UNITS - longest)
    assert [telegram(chunk).text for chunk in chunks] == [plain(chunk) for chunk in chunks]
    assert bool(chunks) or is_blank(clean(text))


@MANY
@given(markdown=MARKDOWN)
def test_html_shows_exactly_the_text(markdown: str) -> None:
    document = parse(markdown, is_link)
    assert plain(to_html(document)) == document.text


@MANY
@given(
    text=st.lists(st.sampled_from(CLUSTERS), max_size=80).map("".join),
    limit=st.integers(8, 40),
)
def test_no_cut_is_within_a_cluster(text: str, limit: int) -> None:
    ends = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    assume(all(len(each) <= limit for each in regex.findall(r"\X", text)))
    position = 0
    for piece in cut(Document(text), lambda piece: len(piece.text) <= limit):
        start = text.index(piece.text, position)
        position = start + len(piece.text)
        assert {start, position} <= ends


@MANY
@given(markdown=MARKDOWN, limit=st.integers(6, 60))
def test_code_is_opened_again_with_its_language(markdown: str, limit: int) -> None:
    document = parse(markdown, is_link)
    whole = code_of([document])
    parts = code_of(pieces(document, limit))
    assert [seen(code) for code in whole] == [seen(code) for code in parts]


def code_of(documents: Sequence[Document]) -> list[str]:
    """The code of all documents by language, as `language: lines`."""
    code: dict[str, str] = {}
    for document in documents:
        for span in document.spans:
            if span.style is Style.PRE:
                lines = document.text[span.start : span.end]
                code[span.argument] = code.get(span.argument, "") + lines
    return [f"{language}: {lines}" for language, lines in sorted(code.items())]


@MANY
@given(markdown=MARKDOWN, limit=st.integers(10, 60))
def test_code_that_fits_in_a_piece_is_in_one(markdown: str, limit: int) -> None:
    document = parse(markdown, is_link)
    texts = [part.text for part in pieces(document, limit)]
    for span in document.spans:
        code = document.text[span.start : span.end]
        if span.style is Style.PRE and utf16_length(code) <= limit:
            assert any(code in text for text in texts)
