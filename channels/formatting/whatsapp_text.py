"""WhatsApp's formatting: the last step from Markdown to messages that WhatsApp takes.

WhatsApp has marks instead of tags, and they count: Twilio refuses a message of
more than 1,600 characters as it is sent. Bold and its like hold within a line, so
they are closed at its end and opened again; a quote is marked line by line, and
code in it stands outside of it. Links are their address in brackets. The marks
themselves, and what in the text looks like one, are the matter of `whatsapp_marks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from channels.formatting.characters import utf16_length
from channels.formatting.cutting import cut
from channels.formatting.document import Document, Span, Style, clipped
from channels.formatting.markdown import parse
from channels.formatting.whatsapp_marks import (
    CODE,
    EMPHASIS,
    JOINER,
    LONG_CODE,
    Line,
    long_code,
)

MOST_UNITS = 1600
"""The longest message, in UTF-16 units, with its marks."""

_QUOTE = "> "
_COSTLY = re.compile(r"[*_~`>]")
_MOST_BESIDE_A_MARK = 2
_WITHIN_LINES = {*EMPHASIS, Style.CODE}
_CODE_OR_QUOTE = re.compile(
    rf"{LONG_CODE}(.+?){LONG_CODE}|(?<!{JOINER}){CODE}(?!{JOINER})([^`\n]+){CODE}|^{_QUOTE}",
    re.DOTALL | re.MULTILINE,
)
_EMPHASISED = tuple(
    re.compile(
        rf"(?<![^\W_])(?<!{JOINER}){mark}(?![\s{JOINER}])(.+?)(?<![\s{JOINER}]){mark}"
        rf"(?!{JOINER})(?![^\W_])"
    )
    for mark in (r"\*", "_", "~")
)


def split(text: str, *, room: int) -> Sequence[str]:
    """Markdown as messages with WhatsApp's marks, each with `room` units to spare.

    A text that shows nothing, being white space, gives none.
    """
    longest = MOST_UNITS - room
    document = parse(text, lambda _: False)
    return [to_text(piece) for piece in cut(document, lambda piece: _most_units(piece) <= longest)]


def to_text(document: Document) -> str:
    """`document` with WhatsApp's marks."""
    return "\n".join(_lines(document))


def plain(chunk: str) -> str:
    """The text that a person sees of a chunk that `split` made."""
    shown: list[str] = []
    position = 0
    for match in _CODE_OR_QUOTE.finditer(chunk):
        shown += [_without_marks(chunk[position : match.start()]), match[1] or match[2] or ""]
        position = match.end()
    shown.append(_without_marks(chunk[position:]))
    return "".join(shown).replace(JOINER, "")


def _lines(document: Document) -> Iterator[str]:
    """The lines of `document`; a block of code is one of them."""
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
    """As many units as `document` can take with its marks: no part of it can take more."""
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


def _without_marks(text: str) -> str:
    for emphasised in _EMPHASISED:
        text = emphasised.sub(r"\1", text)
    return text
