"""Markdown on the screen: read as the other channels read it, and drawn by rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from channels.formatting.inline import plain_inline
from channels.formatting.tokens import definition_text, labels, tokens_of

UNDONE, DONE = "☐ ", "☑ "


class ReplyMarkdown:
    """A piece of a reply, to be printed with rich, without empty lines around it.

    Unlike in rich's own reading, nothing written is lost or hidden: line breaks
    stay, HTML and what shows nothing as Markdown is shown as text, a link or image shows where it
    leads, and no cell of a table is cut. `last_lines` keeps only the end of it.
    """

    def __init__(self, text: str, *, last_lines: int | None = None) -> None:
        self._text = text
        self._last_lines = last_lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        tokens = tokens_of(self._text)
        lines = [] if tokens is None else _lines(console, options, _DrawnTokens(tokens))
        lines = lines or _lines(console, options, Text(self._text))
        for line in lines if self._last_lines is None else lines[-self._last_lines :]:
            yield from line
            yield Segment.line()


def finished_length(text: str) -> int:
    """How many characters of `text` belong to blocks that more text cannot change.

    That is all before the last block: a paragraph, list, table or code fence
    may go on, and whatever stands before its beginning may not.
    """
    starts = [token.map[0] for token in tokens_of(text) or () if _opens_block(token) and token.map]
    if len(starts) < 2:
        return 0
    return sum(len(line) + 1 for line in text.split("\n")[: starts[-1]])


class _Table(TableElement):
    """A table in which what is wider than its column goes on below."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class _DrawnTokens(Markdown):
    """Tokens, to be drawn by rich."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": _Table,
    }

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__("")
        self.parsed = list(_drawable(tokens))


def _drawable(tokens: Sequence[Token]) -> Iterator[Token]:
    """Blocks of what rich knows. A reference's address is in the links that name it; without
    one, it is text."""
    box, used = "", labels(tokens)
    for token in tokens:
        match token.type:
            case "list_item_open":
                box = {None: "", False: UNDONE, True: DONE}[token.meta.get("checked")]
                yield token
            case "inline":
                token.children = [_text(box), *_drawable_inline(token.children or ())]
                box = ""
                yield token
            case "definition":
                if token.meta["id"] in used:
                    used.remove(token.meta["id"])
                else:
                    yield Token("paragraph_open", "p", 1)
                    yield _text(definition_text(token))
                    yield Token("paragraph_close", "p", -1)
            case _:
                yield token


def _drawable_inline(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands within a line, its breaks kept, its links as text."""
    link: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if depth or link or token.type == "image":
            link.append(token)
            if not depth:
                yield _text(plain_inline(link))
                link = []
        elif token.type == "softbreak":
            yield Token("hardbreak", "br", 0)
        else:
            yield token


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _lines(console: Console, options: ConsoleOptions, what: RenderableType) -> list[list[Segment]]:
    """What is drawn, without empty lines around it."""
    lines = console.render_lines(what, options, pad=False)
    while lines and _is_blank(lines[0]):
        del lines[0]
    while lines and _is_blank(lines[-1]):
        del lines[-1]
    return lines


def _is_blank(line: list[Segment]) -> bool:
    return not any(segment.text.strip() for segment in line)


def _opens_block(token: Token) -> bool:
    return token.level == 0 and token.nesting >= 0
