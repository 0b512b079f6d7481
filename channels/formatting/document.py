"""Formatted text: a flat string, and spans over it that say how parts of it look.

A channel renders it; nothing here knows a messenger.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from channels.formatting.characters import is_blank


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
    """What is left of `span` between `start` and `end`, without white space at its
    edges; None if that shows nothing. The first line of a block keeps its indent."""
    first, last = max(span.start, start), min(span.end, end)
    shown = text[first:last]
    if is_blank(shown):
        return None
    last -= len(shown) - len(shown.rstrip())
    first += len(shown) - len(shown.lstrip("\n" if span.style.is_block else None))
    return Span(first, last, span.style, span.argument)
