"""WhatsApp's formatting: the last step from Markdown to messages that WhatsApp takes.

WhatsApp has marks instead of tags, and they count: Twilio refuses a message of
more than 1,600 characters as it is sent. Bold and its like hold within a line, so
they are closed at its end and opened again; a quote is marked line by line, and
code in it stands outside of it. Links are their address in brackets.

WhatsApp formats what stands between two marks of a kind in one line, if they are
at the edges of words and have no space on their inner side. Its apps are not one
program, and differ on what an edge is. So a mark of gaia's stands only where all
of them see one: an emphasis that begins or ends within a word, or at another
mark, is left out. And a mark that is part of the text is left as it is where none
of them formats (within a word as in `snake_case` and `2*3*4`, alone as in `*.py`,
between spaces as in `2 * 3`); elsewhere it gets a word joiner on both sides, since
WhatsApp has no sign for "not this one". A word joiner is invisible, keeps the line
from being broken there, and is no edge. In an address, which has to work when it
is tapped or copied, the mark is percent-encoded instead; a path or a name with one in it
is code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unicodedata import category

from channels.formatting.characters import is_blank, utf16_length
from channels.formatting.chunks import cut
from channels.formatting.document import Document, Span, Style, clipped
from channels.formatting.literals import literals
from channels.formatting.markdown import parse

MOST_UNITS = 1600
"""The longest message, in UTF-16 units, with its marks."""

JOINER = "\N{WORD JOINER}"

EMPHASIS = {
    Style.BOLD: "*",
    Style.HEADING: "*",
    Style.ITALIC: "_",
    Style.STRIKETHROUGH: "~",
}
CODE, LONG_CODE = "`", "```"
"""WhatsApp takes the long marks within a word as well, and around the short one."""

_MARKS = "*_~`"
_IN_CODE = "\0"
_ADDRESS = re.compile(r"""(?:https?://|www\.)[^\s<>`\0]*[^\s<>`\0.,:;!?'")\]*]""", re.IGNORECASE)

_QUOTE = "> "
_COSTLY = re.compile(r"[*_~`>]")
_MOST_BESIDE_A_MARK = 2
_WITHIN_LINES = {*EMPHASIS, Style.CODE}


def split(text: str, *, room: int) -> Sequence[str]:
    """Render Markdown as messages with WhatsApp's marks, each with `room` units to spare.

    A text that shows nothing, being white space, gives none.
    """
    longest = MOST_UNITS - room
    document = with_names_as_code(parse(text, lambda _: False))
    return [to_text(piece) for piece in cut(document, lambda piece: _most_units(piece) <= longest)]


def to_text(document: Document) -> str:
    """`document` with WhatsApp's marks."""
    return "\n".join(_lines(document))


def with_names_as_code(document: Document) -> Document:
    """`document` with paths and names in which a mark stands twice as code: they can be
    copied from it as they are."""
    taken = [span for span in document.spans if span.style is not Style.QUOTE]
    names = [
        Span(start, end, Style.CODE)
        for start, end in literals(document.text)
        if any(document.text.count(mark, start, end) > 1 for mark in _MARKS[:-1])
        and not _ADDRESS.match(document.text, start)
        and not any(span.start < end and start < span.end for span in taken)
    ]
    # Outer spans stand before inner ones: a quote begins where it does, or earlier.
    spans = sorted([*document.spans, *names], key=lambda span: (span.start, -span.end))
    return Document(document.text, tuple(spans)) if names else document


def _lines(document: Document) -> Iterator[str]:
    """Yield the lines of `document`; a block of code is one of them."""
    blocks = iter([span for span in document.spans if span.style is Style.PRE])
    block = next(blocks, None)
    position = 0
    while position <= len(document.text):
        if block and position >= block.start:
            yield long_code(document.text[block.start : block.end], "\n")
            position, block = block.end + 1, next(blocks, None)
            continue
        end = document.text.find("\n", position)
        end = len(document.text) if end < 0 else end
        yield _line(document, position, end)
        position = end + 1


def _line(document: Document, start: int, end: int) -> str:
    within = [span for span in document.spans if span.start <= end and span.end > start]
    is_quoted = any(span.style is Style.QUOTE for span in within)
    spans = [
        Span(part.start - start, part.end - start, part.style)
        for span in within
        if span.style in _WITHIN_LINES and (part := clipped(span, document.text, start, end))
    ]
    written = Line(document.text[start:end], spans).written()
    if is_quoted and written:
        return _QUOTE + written
    return JOINER + written if written.startswith(_QUOTE.strip()) else written


def _most_units(document: Document) -> int:
    """Return as many units as `document` can take with its marks: no part of it can take more."""
    units = utf16_length(document.text)
    units += _MOST_BESIDE_A_MARK * len(_COSTLY.findall(document.text))
    for span in document.spans:
        lines = 1 + document.text.count("\n", span.start, span.end)
        match span.style:
            case Style.PRE | Style.CODE:
                units += 2 * len(LONG_CODE)
            case Style.QUOTE:
                units += len(_QUOTE) * lines
            case _:
                units += 2 * lines
    return units


@dataclass(slots=True)
class Line:
    """A line of text while it is written.

    `spans` are those of `EMPHASIS` and `CODE`, from the beginning of the line, the
    outer before the inner, and without white space at their edges.
    """

    text: str
    spans: Sequence[Span]
    _masked: str = field(init=False)
    """The text, with what is code made unrecognisable, so that its marks are none."""
    _addresses: Sequence[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        masked = self.text
        for span in self.spans:
            if span.style is Style.CODE:
                hidden = _IN_CODE * (span.end - span.start)
                masked = masked[: span.start] + hidden + masked[span.end :]
        self._masked = masked
        self._addresses = [match.span() for match in _ADDRESS.finditer(masked)]

    def written(self) -> str:
        """Return the line with its marks."""
        emphasised = [span for span in self.spans if self._can_be_marked(span)]
        opening, closing = defaultdict[int, str](str), defaultdict[int, str](str)
        for span in emphasised:
            mark = EMPHASIS[span.style]
            opening[span.start] += mark
            closing[span.end] = mark + closing[span.end]
        code = {span.start: span for span in self.spans if span.style is Style.CODE}
        defended = set(self._to_defend(emphasised))
        parts: list[str] = []
        position = 0
        while position < len(self.text):
            parts += [closing[position], opening[position]]
            if position in code:
                span = code[position]
                parts.append(self._code(span))
                position = span.end
            else:
                parts.append(self._character(position, defended=position in defended))
                position += 1
        return "".join([*parts, closing[position]])

    def _can_be_marked(self, span: Span) -> bool:
        """Whether every reader of the line takes marks around `span` for marks."""
        if span.style not in EMPHASIS or _cuts_one(self._addresses, span):
            return False
        inner = (self._masked[span.start], self._masked[span.end - 1])
        return self._is_between_edges(span) and not any(
            each in _MARKS or is_blank(each) for each in inner
        )

    def _is_between_edges(self, span: Span) -> bool:
        outer = (self._masked[span.start - 1 : span.start], self._masked[span.end : span.end + 1])
        return all(not each or each.isspace() or _is_sign(each) for each in outer)

    def _code(self, span: Span) -> str:
        code = self.text[span.start : span.end].replace(JOINER, "").strip()
        if CODE not in code and self._is_between_edges(span):
            return f"{CODE}{code}{CODE}"
        return long_code(code, " ")

    def _character(self, position: int, *, defended: bool) -> str:
        character = self.text[position]
        if character == JOINER:
            return ""
        if not defended:
            return character
        number = bisect_right(self._addresses, (position, len(self.text))) - 1
        if number >= 0 and position < self._addresses[number][1]:
            return f"%{ord(character):02X}"
        return f"{JOINER}{character}{JOINER}"

    def _to_defend(self, emphasised: Sequence[Span]) -> Iterator[int]:
        """Yield where characters stand that some reader of the line would take for marks."""
        for mark in ("*", "_", "~"):
            ours = [span for span in emphasised if EMPHASIS[span.style] == mark]
            opening = [place for place in self._places(mark) if self._may_open(place)]
            closing = [place for place in self._places(mark) if self._may_close(place)]
            first = min([*opening, *(span.start for span in ours)], default=len(self.text))
            last = max([*closing, *(span.end for span in ours)], default=0)
            yield from (place for place in opening if place < last)
            yield from (place for place in closing if place > first)
        yield from self._places(CODE)

    def _places(self, mark: str) -> Iterator[int]:
        return (match.start() for match in re.finditer(re.escape(mark), self._masked))

    def _may_open(self, place: int) -> bool:
        before, after = self._around(place)
        return not _is_plain_letter(before) and bool(after.strip())

    def _may_close(self, place: int) -> bool:
        before, after = self._around(place)
        return bool(before.strip()) and not _is_plain_letter(after)

    def _around(self, place: int) -> tuple[str, str]:
        return self._masked[place - 1 : place], self._masked[place + 1 : place + 2]


def long_code(code: str, padding: str) -> str:
    """`code` between long marks, verbatim but for joiners among its own backticks;
    `padding` keeps one at its edge from the marks."""
    code = code.replace(JOINER, "")
    edge = padding if code.startswith(CODE) or code.endswith(CODE) else ""
    apart = re.sub("`(?=`)", CODE + JOINER, code)
    return f"{LONG_CODE}{edge}{apart}{edge}{LONG_CODE}"


def _cuts_one(addresses: Sequence[tuple[int, int]], span: Span) -> bool:
    """Whether a mark of `span` would stand in an address or right behind it, where it
    would be taken for a part of it."""
    return any(start < span.start < end or start < span.end <= end for start, end in addresses)


def _is_sign(character: str) -> bool:
    """Whether nobody takes `character` for a part of a word, or for a mark."""
    return character not in _MARKS and category(character)[0] in "PS"


def _is_plain_letter(character: str) -> bool:
    """Whether everybody takes `character` for a part of a word."""
    return character.isascii() and character.isalnum()
