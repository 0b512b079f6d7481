"""Telegram's HTML: the last step from Markdown to messages that Telegram takes.

Telegram refuses a message whose tags it cannot read, and quietly leaves out what
breaks its rules for formatting, so a chunk keeps them all: known tags, properly
nested; nothing within code, and code within nothing but a quote; addresses that
Telegram accepts; no more entities than it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape

from channels.formatting.characters import utf16_length
from channels.formatting.chunks import cut
from channels.formatting.document import Document, Span, Style
from channels.formatting.markdown import parse

MOST_UNITS = 4096
"""The longest text of a message, in UTF-16 units, without its formatting."""
MOST_ENTITIES = 100
"""Telegram ignores the formatting of a message beyond these."""
MOST_ENTITY_BYTES = 8000
"""Telegram refuses a message whose entities take some 9,500, with the addresses of its links."""
LONGEST_ADDRESS_BYTES = 4000
"""A longer address stands in the text, where it can be cut."""
_BYTES_BESIDE_ADDRESS = 16

_TAGS = {
    Style.BOLD: "b",
    Style.HEADING: "b",
    Style.ITALIC: "i",
    Style.STRIKETHROUGH: "s",
    Style.CODE: "code",
    Style.QUOTE: "blockquote",
}
_LINK = re.compile(
    r"https?://(?:[\w-]+\.)+[\w-]+\.?(?::[1-9]\d{0,4})?(?:[/?#]\S*)?|tg://[\w-]+(?:[/?]\S*)?",
    re.IGNORECASE | re.ASCII,
)
"""The addresses of links that Telegram keeps: it drops one whose host has no dot,
and takes `mailto:` and `tel:` for a part of a host."""
_TAG = re.compile(r"<[^>]*>")
_LINKED = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)


def split(text: str, *, room: int) -> Sequence[str]:
    """Render Markdown as the HTML of messages, each with `room` units to spare.

    A text that shows nothing, being white space, gives none.
    """
    longest = MOST_UNITS - room

    def fits(piece: Document) -> bool:
        return (
            len(piece.spans) <= MOST_ENTITIES
            and utf16_length(piece.text) <= longest
            and sum(map(_entity_bytes, piece.spans)) <= MOST_ENTITY_BYTES
        )

    return [to_html(piece) for piece in cut(parse(text, is_link), fits)]


def to_html(document: Document) -> str:
    """`document` in Telegram's HTML."""
    written: list[str] = []
    ends: list[tuple[int, str]] = []
    position = 0

    def write_until(end: int) -> None:
        nonlocal position
        written.append(escape(document.text[position:end], quote=False))
        position = end

    for span in document.spans:
        while ends and ends[-1][0] <= span.start:
            write_until(ends[-1][0])
            written.append(ends.pop()[1])
        write_until(span.start)
        opening, closing = _tags(span)
        written.append(opening)
        ends.append((span.end, closing))
    for end, closing in reversed(ends):
        write_until(end)
        written.append(closing)
    write_until(len(document.text))
    return "".join(written)


def plain(html: str) -> str:
    """Return the text that a person sees of a chunk that `split` made."""
    return unescape(_TAG.sub("", html))


def spelled_out(html: str, longest: int = MOST_UNITS) -> str:
    """Return the text of a chunk for when Telegram refuses its formatting: the addresses of
    links stand behind their words, as many as leave it at most `longest` units."""
    spare = longest - utf16_length(plain(html))

    def spelled(link: re.Match[str]) -> str:
        nonlocal spare
        address = f" ({link[1]})"
        units = utf16_length(unescape(address))
        if units > spare:
            return link[2]
        spare -= units
        return link[2] + address

    return plain(_LINKED.sub(spelled, html))


def is_link(url: str) -> bool:
    """Whether Telegram keeps a link to `url`."""
    return len(url.encode()) <= LONGEST_ADDRESS_BYTES and _LINK.fullmatch(url) is not None


def _entity_bytes(span: Span) -> int:
    return _BYTES_BESIDE_ADDRESS + len(span.argument.encode())


def _tags(span: Span) -> tuple[str, str]:
    match span.style:
        case Style.LINK:
            return f'<a href="{_attribute(span.argument)}">', "</a>"
        case Style.PRE if span.argument:
            language = _attribute(span.argument)
            return f'<pre><code class="language-{language}">', "</code></pre>"
        case Style.PRE:
            return "<pre>", "</pre>"
        case _:
            tag = _TAGS[span.style]
            return f"<{tag}>", f"</{tag}>"


def _attribute(value: str) -> str:
    return escape(value, quote=False).replace('"', "&quot;")
