"""What holds for any text on WhatsApp, by a reader of its rules that shares nothing with gaia.

WhatsApp's apps differ on where a word ends, so the reader comes in two kinds: one
that takes nothing but plain letters and digits for a part of a word, and one that
takes everything for one but white space, punctuation and symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from channels.formatting.characters import clean, is_blank, utf16_length
from channels.formatting.document import Style
from channels.formatting.markdown import parse
from channels.formatting.whatsapp_text import MOST_UNITS, split, with_names_as_code
from tests.harness.effort import rounds
from tests.harness.whatsapp_text import plain

WORD = "WORD"
MARKUP = [
    *("*", "**", "***", "_", "__", "~", "~~", "`", "``", "\\*", "\\_", "\\`", " ", "  ", "\t"),
    *("\n", "\n\n", "\n- ", "\n  - ", "\n1. ", "\n> ", "\n> > ", "\\> ", "\n# ", "\n    "),
    *("\n```\n", "\n> ```\n", "\n~~~~\n", "\n---\n", "\n|a|b|\n|-|-|\n|", "<br>", "&NoBreak;"),
    *("[", "](https://a.b/_c_/", ")", "https://a.b/*x*y", "www.a.b/~c/d~", "'", "(", ")", ".", "1"),
    *("。", "中文", "é", "e\u0301", "👨‍👩‍👧", "\u200b", "\u2060", "\x00", "ñ"),
]
MARKDOWN = st.lists(st.one_of(st.just(WORD), st.sampled_from(MARKUP)), max_size=50).map(
    lambda parts: "".join(f"w{n}" if each is WORD else each for n, each in enumerate(parts))
)
MARKS = {Style.BOLD: "*", Style.HEADING: "*", Style.ITALIC: "_", Style.STRIKETHROUGH: "~"}
CODE = (Style.CODE, Style.PRE)
JOINER = "\u2060"
MANY = settings(max_examples=rounds(25, thorough=200), deadline=None)

Letter = Callable[[str], bool]
Shown = Sequence[tuple[str, frozenset[str]]]
"""What can be seen, character by character, with the marks that apply to it."""


@dataclass
class Cell:
    """A character of a message."""

    character: str
    marks: set[str] = field(default_factory=set)
    is_mark: bool = False


def plain_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


def any_letter(character: str) -> bool:
    return not character.isspace() and category(character)[0] not in "PS"


READERS = {"plain letters": plain_letter, "any letters": any_letter}


def read(chunk: str, is_letter: Letter) -> list[Cell]:
    cells = read_code(chunk)
    first = 0
    for end in range(len(cells) + 1):
        if end == len(cells) or (cells[end].character == "\n" and not cells[end].marks):
            read_line(cells[first:end], is_letter)
            first = end + 1
    return [cell for cell in cells if not cell.is_mark]


def read_code(chunk: str) -> list[Cell]:
    """The cells of a chunk, those of code with the mark of code."""
    cells: list[Cell] = []
    position = 0
    while position < len(chunk):
        for mark in ("```", "`"):
            end = chunk.find(mark, position + len(mark) + 1)
            line_end = chunk.find("\n", position)
            if not chunk.startswith(mark, position) or end < 0:
                continue
            if mark == "`" and (0 <= line_end < end or JOINER in around(chunk, position)):
                continue
            cells += [Cell("`", {"`"}, is_mark=True)] * len(mark)
            cells += [Cell(each, {"`"}) for each in chunk[position + len(mark) : end]]
            cells += [Cell("`", {"`"}, is_mark=True)] * len(mark)
            position = end + len(mark)
            break
        else:
            cells.append(Cell(chunk[position]))
            position += 1
    return cells


def read_line(cells: Sequence[Cell], is_letter: Letter) -> None:
    if [cell.character for cell in cells[:2]] == [">", " "]:
        cells[0].is_mark = cells[1].is_mark = True
    for mark in "*_~":
        text = "".join("`" if cell.marks == {"`"} else cell.character for cell in cells)
        opened: int | None = None
        for place, character in enumerate(text):
            if character != mark or JOINER in around(text, place):
                continue
            before, after = around(text, place)
            if opened is not None and before.strip() and not (after and is_letter(after)):
                if place > opened + 1:
                    cells[opened].is_mark = cells[place].is_mark = True
                    for cell in cells[opened + 1 : place]:
                        cell.marks.add(mark)
                    opened = None
            elif opened is None and after.strip() and not (before and is_letter(before)):
                opened = place


def around(text: str, place: int) -> tuple[str, str]:
    return text[place - 1 : place], text[place + 1 : place + 2]


def seen(cells: Sequence[Cell]) -> Shown:
    """What can be seen of `cells`, with addresses as they were written."""
    shown = [cell for cell in cells if is_seen(cell.character)]
    text = "".join(cell.character for cell in shown)
    result, position = [], 0
    while position < len(text):
        coded = {"%2A": "*", "%5F": "_", "%7E": "~"}.get(text[position : position + 3])
        result.append((coded or text[position], frozenset(shown[position].marks)))
        position += 3 if coded else 1
    return result


def is_seen(character: str) -> bool:
    return not character.isspace() and category(character) != "Cf"


def meant(markdown: str) -> Shown:
    """What can be seen of a document, with the marks that it wants."""
    document = with_names_as_code(parse(markdown, lambda _: False))
    cells = [Cell(each) for each in document.text]
    for span in document.spans:
        for cell in cells[span.start : span.end]:
            if span.style in CODE:
                cell.marks.add("`")
            elif span.style in MARKS:
                cell.marks.add(MARKS[span.style])
    return seen(cells)


def shown(chunks: Sequence[str], is_letter: Letter) -> Shown:
    return [each for chunk in chunks for each in seen(read(chunk, is_letter))]


@pytest.mark.parametrize("is_letter", READERS.values(), ids=READERS)
@MANY
@given(markdown=MARKDOWN, longest=st.integers(40, 200))
@example("`a``b` \\*c* _d_\\_ ~~e~~\\~", 60)
@example("**\\*a\\*** **a**\\*b* ***c***", 60)
@example("`x`\\*y\\* \\> `\n> z", 60)
@example("**see https://a.b** *https://a.b* \\*c\\*", 60)
@example("~~~\n`a`\n```\n``b\n~~~", 60)
@example("\n    a`\u2060", 60)
def test_all_is_seen_and_nothing_is_formatted_that_should_not_be(
    is_letter: Letter, markdown: str, longest: int
) -> None:
    chunks = split(markdown, room=MOST_UNITS - longest)
    found, wanted = shown(chunks, is_letter), meant(markdown)
    assert "".join(each for each, _ in found) == "".join(each for each, _ in wanted)
    for (character, marks), (_, allowed) in zip(found, wanted, strict=True):
        assert marks <= allowed, (character, chunks)
        assert ("`" in marks) == ("`" in allowed), (character, chunks)
    assert all(utf16_length(chunk) <= longest for chunk in chunks)


WORDS = st.lists(
    st.sampled_from(["one", "größe", "2*3*4", "snake_case", "(x)", "中文", "5 €"]),
    min_size=1,
    max_size=3,
)
PHRASES = st.tuples(st.sampled_from(["", "**", "_", "~~", "***", "**~~", "`"]), WORDS.map(" ".join))
SENTENCES = st.lists(PHRASES, min_size=1, max_size=4).map(
    lambda phrases: " ".join(mark + text + mark[::-1] for mark, text in phrases)
)
STARTS = st.sampled_from(["", "", "- ", "> ", "# "])
LINES = st.lists(st.tuples(STARTS, SENTENCES).map("".join), min_size=1, max_size=3)


@pytest.mark.parametrize("is_letter", READERS.values(), ids=READERS)
@MANY
@given(lines=LINES, longest=st.sampled_from([60, MOST_UNITS]))
@example(["**one", "> two** three"], 60)
def test_formatting_at_the_edges_of_words_is_seen(
    is_letter: Letter, lines: list[str], longest: int
) -> None:
    markdown = "\n".join(lines)
    chunks = split(markdown, room=MOST_UNITS - longest)
    assert shown(chunks, is_letter) == meant(markdown)


@MANY
@given(markdown=MARKDOWN, longest=st.integers(40, 200))
def test_the_plain_text_is_what_is_seen(markdown: str, longest: int) -> None:
    for chunk in split(markdown, room=MOST_UNITS - longest):
        text = "".join(cell.character for cell in read(chunk, any_letter))
        assert visible(plain(chunk)) == visible(text)


@MANY
@given(text=st.text(st.characters(), max_size=200), longest=st.integers(20, 90))
@example("\ud800", 20)
@example("`" * 40, 20)
@example("*" * 100, 20)
def test_any_unicode_is_a_message_or_blank(text: str, longest: int) -> None:
    chunks = split(text, room=MOST_UNITS - longest)
    assert all(utf16_length(chunk) <= longest and not is_blank(chunk) for chunk in chunks)
    assert bool(chunks) or is_blank(clean(text))


def visible(text: str) -> str:
    return "".join(each for each in text if is_seen(each))
