"""What stands within a line of Markdown: emphasis, code, links, images."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token

from channels.formatting.characters import is_blank
from channels.formatting.document import DocumentBuilder, Style

LinkRule = Callable[[str], bool]
"""Whether a channel can make a link of an address. Any other is shown as text."""

_STYLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKETHROUGH}
_SCHEME = re.compile(r"(https?://|mailto:|tel:)", re.IGNORECASE)
_UNNAMED_SCHEME = re.compile(r"(mailto:|tel:)", re.IGNORECASE)


def write_inline(builder: DocumentBuilder, tokens: Sequence[Token], is_link: LinkRule) -> None:
    """Add the content of a line or paragraph to `builder`."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        kind, _, edge = token.type.rpartition("_")
        if token.type == "link_open":
            end = _end_of_link(tokens, position)
            _write_link(builder, token, "href", tokens[position + 1 : end], is_link)
            position = end
        elif token.type == "image":
            _write_link(builder, token, "src", token.children or (), is_link)
        elif kind in _STYLES and edge == "open":
            builder.open(_STYLES[kind])
        elif kind in _STYLES:
            builder.close()
        elif token.type == "code_inline":
            builder.code(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            builder.newline()
        else:
            builder.write(token.content)
        position += 1


def plain_inline(tokens: Sequence[Token]) -> str:
    """Return the content of a line or paragraph as a person reads it where no formatting is."""
    builder = DocumentBuilder()
    write_inline(builder, tokens, lambda _: False)
    return builder.build().text


def _end_of_link(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for position in range(start, len(tokens)):
        if tokens[position].type in ("link_open", "link_close"):
            depth += tokens[position].nesting
            if depth == 0:
                return position
    return len(tokens)


def _write_link(
    builder: DocumentBuilder,
    token: Token,
    attribute: str,
    label_tokens: Sequence[Token],
    is_link: LinkRule,
) -> None:
    """Write a link with its label; the address beside it where it can be no link, alone where
    there is no label. Messengers make links of plain addresses themselves."""
    address = str(token.attrs.get(attribute, "")).strip()
    label, url = plain_inline(label_tokens), normalizeLink(address)
    if is_blank(label):
        builder.write(_shown(address))
    elif _core(label) == _core(address):
        write_inline(builder, label_tokens, is_link)
    elif is_link(url) and not builder.is_open(Style.LINK):
        builder.open(Style.LINK, url)
        write_inline(builder, label_tokens, is_link)
        builder.close()
    else:
        write_inline(builder, label_tokens, is_link)
        builder.write(f" ({_shown(address)})" if address else "")
    title = str(token.attrs.get("title", "")).strip()
    if title and title != label:
        builder.write(f" ({title})")


def _shown(address: str) -> str:
    return _UNNAMED_SCHEME.sub("", address, count=1)


def _core(address: str) -> str:
    scheme = _SCHEME.match(address)
    return unquote(address[scheme.end() if scheme else 0 :]).rstrip("/")
