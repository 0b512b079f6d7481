"""Formatted text: a flat string with spans over it that say how parts of it look, and its
builder.

A channel renders it; nothing here knows a messenger, nor Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from channels.formatting.characters import clean, is_blank

_TAB_COLUMNS = 4


class Style(StrEnum):
    """How a span of text looks."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKETHROUGH = "strikethrough"
    HEADING = "heading"
    CODE = "code"
    LINK = "link"
    PRE = "pre"
    QUOTE = "quote"

    @property
    def is_block(self) -> bool:
        """Whether the span takes whole lines."""
        return self in (Style.PRE, Style.QUOTE)


@dataclass(frozen=True, slots=True)
class Span:
    """The characters from `start` up to `end`, not included, and their style.

    `argument` is the address of a link, or the language of a `PRE`; it may be empty.
    """

    start: int
    end: int
    style: Style
    argument: str = ""

    def covers(self, position: int) -> bool:
        """Whether a cut at `position` would cut the span."""
        return self.start < position < self.end


@dataclass(frozen=True, slots=True)
class Document:
    """Text and its spans, the outer before the inner.

    Two spans are apart or one is within the other. No span is blank or repeats
    the style of one around it; `CODE` and `PRE` stand in no other span but a
    `QUOTE`, and hold none.
    """

    text: str
    spans: tuple[Span, ...] = ()


def clipped(span: Span, text: str, start: int, end: int) -> Span | None:
    """Return what is left of `span` between `start` and `end`, without white space at its
    edges; None if that shows nothing. The first line of a block keeps its indent."""
    first, last = max(span.start, start), min(span.end, end)
    shown = text[first:last]
    if is_blank(shown):
        return None
    last -= len(shown) - len(shown.rstrip())
    first += len(shown) - len(shown.lstrip("\n" if span.style.is_block else None))
    return Span(first, last, span.style, span.argument)


_IMPLIED = {Style.BOLD: (Style.BOLD, Style.HEADING)}


@dataclass(slots=True)
class _Opened:
    """A span that has begun. `is_effective` is False where it would change nothing."""

    style: Style
    argument: str
    start: int
    order: int
    is_effective: bool


class DocumentBuilder:
    """Takes text from the first to the last character; `build` ends it.

    An indent stands before the text of a line, not on empty lines, and not in
    code. A quote begins at the left edge, whatever indent is around it.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._line_is_empty = True
        self._pending = ""
        self._indents: list[str] = []
        self._outer_indents: list[list[str]] = []
        self._opened: list[_Opened] = []
        self._finished: list[tuple[int, Span]] = []
        self._spans_begun = 0

    def write(self, text: str) -> None:
        """Add text; its line ends begin new lines."""
        first, *others = clean(text).split("\n")
        self._put(first)
        for line in others:
            self.newline()
            self._put(line)

    def newline(self) -> None:
        """End the line."""
        self._append("\n")
        self._line_is_empty, self._pending = True, "".join(self._indents)

    def begin_line(self) -> None:
        """End the line unless nothing stands on it yet."""
        if not self._line_is_empty:
            self.newline()

    def mark_item(self, marker: str) -> None:
        """Begin an item of a list: `marker`, and an indent of its width below it."""
        self._put(marker)
        self._pending = " "
        self.indent(" " * (len(marker) + 1))

    def indent(self, indent: str) -> None:
        """Put `indent` before the lines that follow, behind what stands there already."""
        self._indents.append(indent)
        if self._line_is_empty:
            self._pending = "".join(self._indents)

    def dedent(self) -> None:
        """Take back the last indent."""
        self._indents.pop()
        if self._line_is_empty:
            self._pending = "".join(self._indents)

    def open(self, style: Style, argument: str = "") -> None:
        """Begin a span of `style`; to be closed in the reverse order of opening."""
        if style.is_block:
            self.begin_line()
            self._outer_indents.append(self._indents)
            self._indents, self._pending = [], ""
        else:
            self._put_indent()
        is_effective = not any(self.is_open(each) for each in _IMPLIED.get(style, (style,)))
        self._spans_begun += 1
        self._opened.append(
            _Opened(
                style, argument, self._length, order=self._spans_begun, is_effective=is_effective
            )
        )

    def close(self) -> None:
        """End the span that was opened last."""
        opened = self._opened.pop()
        self._finish(opened)
        if opened.style.is_block:
            self._indents = self._outer_indents.pop()

    def is_open(self, style: Style) -> bool:
        """Whether the text that comes next is within a span of `style`."""
        return any(opened.style is style for opened in self._opened)

    def code(self, text: str) -> None:
        """Add code within a line. Styles around it leave it out; a link is stronger."""
        if self.is_open(Style.LINK):
            self.write(text)
            return
        self._interrupt()
        self.open(Style.CODE)
        self.write(text)
        self.close()
        self._resume()

    def pre(self, text: str, language: str = "") -> None:
        """Add lines of code that are not blank, with spaces for tabs, which messengers
        show as they like."""
        self.open(Style.PRE, language)
        lines = clean(text).expandtabs(_TAB_COLUMNS).rstrip().split("\n")
        while is_blank(lines[0]):
            del lines[0]
        self.write("\n".join(lines))
        self.close()

    def build(self) -> Document:
        """Build the document of all that was added, without white space at its end."""
        text = "".join(self._parts).rstrip()
        kept = [
            (order, span)
            for order, whole in self._finished
            if (span := clipped(whole, text, 0, len(text)))
        ]
        kept.sort(key=lambda each: (each[1].start, -each[1].end, each[0]))
        return Document(text, tuple(span for _, span in kept))

    def _put(self, text: str) -> None:
        if text:
            self._put_indent()
            self._append(text)
            self._line_is_empty = False

    def _put_indent(self) -> None:
        self._append(self._pending)
        self._pending = ""

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _interrupt(self) -> None:
        for opened in self._opened:
            if not opened.style.is_block:
                self._finish(opened)

    def _resume(self) -> None:
        for opened in self._opened:
            if not opened.style.is_block:
                opened.start = self._length

    def _finish(self, opened: _Opened) -> None:
        if opened.is_effective and opened.start < self._length:
            span = Span(opened.start, self._length, opened.style, opened.argument)
            self._finished.append((opened.order, span))
