"""WhatsApp's marks within a line: `*bold*`, `_italic_`, `~struck~`, `` `code` ``.

WhatsApp formats what stands between two marks of a kind in one line, if they are
at the edges of words and have no space on their inner side. Its apps are not one
program, and differ on what an edge is. So a mark of gaia's stands only where all
of them see one: an emphasis that begins or ends within a word, or at another
mark, is left out. And a mark that is part of the text is left as it is where none
of them formats (within a word as in `snake_case` and `2*3*4`, alone as in `*.py`,
between spaces as in `2 * 3`); elsewhere it gets a word joiner on both sides, since
WhatsApp has no sign for "not this one". A word joiner is invisible, keeps the line
from being broken there, and is no edge. In an address, which has to work when it
is tapped or copied, the mark is percent-encoded instead.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unicodedata import category

from channels.formatting.characters import is_blank
from channels.formatting.document import Span, Style

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
        """The line with its marks."""
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
        """Where characters stand that some reader of the line would take for marks."""
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
    edge = padding if code.startswith(CODE) or code.endswith(CODE) else ""
    apart = re.sub("`(?=`)", CODE + JOINER, code.replace(JOINER, ""))
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
