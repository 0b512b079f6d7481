"""Reads Markdown into a `Document`, block by block.

Lines end where the text ends them, and blocks have an empty line between them
where the text has one, which is what people see in a messenger. Nothing that
was written is lost: what has no form in a messenger is shown as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from markdown_it.token import Token

from channels.formatting.characters import clean, is_blank
from channels.formatting.document import Document, DocumentBuilder, Style
from channels.formatting.inline import LinkRule, write_inline
from channels.formatting.tables import read_table, write_table
from channels.formatting.tokens import definition_text, labels, tokens_of

_RULE = "—" * 10
_BULLET, _UNDONE, _DONE = "•", "☐", "☑"
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,32}")


def parse(text: str, is_link: LinkRule) -> Document:
    """Parse `text` into what a person sees of it. A text that shows nothing as Markdown, such
    as an empty heading or a fence without a line, stands as it is."""
    source = clean(text)
    tokens = tokens_of(source)
    if tokens is not None:
        blocks = _Blocks(source, tokens, is_link)
        document = blocks.read()
        if not is_blank(document.text):
            return document
    return Document(source.strip())


@dataclass(slots=True)
class _Numbers:
    """The numbers of one list's items: as they are written, but `1. 1. 1.` goes up."""

    written: str = ""
    shown: str = ""

    def next(self, written: str) -> str:
        repeated = written == self.written
        self.shown = str(int(self.shown) + 1) if repeated else written
        self.written = written
        return self.shown


class _Blocks:
    """One pass over the tokens of a text."""

    def __init__(self, source: str, tokens: Sequence[Token], is_link: LinkRule) -> None:
        self._lines = source.split("\n")
        self._tokens = tokens
        self._is_link = is_link
        self._builder = DocumentBuilder()
        self._lists: list[_Numbers] = []
        self._quotes = 0
        self._is_first = True
        self._used_labels = labels(tokens)

    def read(self) -> Document:
        tokens = iter(self._tokens)
        for token in tokens:
            if token.type == "table_open":
                self._begin_block(token)
                inner = list(takewhile(lambda each: each.type != "table_close", tokens))
                write_table(self._builder, read_table(inner), self._is_link)
            elif token.nesting == -1:
                self._end(token)
            else:
                self._begin(token)
        return self._builder.build()

    def _begin(self, token: Token) -> None:
        match token.type:
            case "inline":
                write_inline(self._builder, token.children or (), self._is_link)
            case "fence" | "code_block":
                self._begin_block(token)
                self._write_code(token)
            case "hr":
                self._begin_block(token)
                self._builder.write(_RULE)
            case "definition":
                self._write_definition(token)
            case "heading_open":
                self._begin_block(token)
                self._builder.open(Style.HEADING)
            case "blockquote_open":
                self._begin_block(token)
                self._begin_quote()
            case "bullet_list_open" | "ordered_list_open":
                self._begin_block(token)
                self._begin_list()
            case "list_item_open":
                self._begin_block(token)
                self._begin_item(token)
            case _:
                self._begin_block(token)

    def _end(self, token: Token) -> None:
        match token.type:
            case "heading_close":
                self._builder.close()
            case "blockquote_close":
                self._end_quote()
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._is_first = False
            case "list_item_close":
                self._builder.dedent()
                self._is_first = False

    def _begin_block(self, token: Token) -> None:
        """End the block before, with an empty line if the text has one there."""
        if not self._is_first:
            self._builder.newline()
            before = self._lines[token.map[0] - 1] if token.map else ""
            if not before.strip(" \t>"):
                self._builder.newline()
        self._is_first = False

    def _begin_quote(self) -> None:
        """Messengers have no quote within a quote: the inner one keeps its marks."""
        self._quotes += 1
        if self._quotes == 1:
            self._builder.open(Style.QUOTE)
        else:
            self._builder.begin_line()
            self._builder.indent("> ")
        self._is_first = True

    def _end_quote(self) -> None:
        self._quotes -= 1
        if self._quotes == 0:
            self._builder.close()
        else:
            self._builder.dedent()
        self._is_first = False

    def _begin_list(self) -> None:
        self._lists.append(_Numbers())
        self._is_first = True

    def _begin_item(self, token: Token) -> None:
        number = self._lists[-1].next(token.info) + token.markup if token.info else ""
        checked = token.meta.get("checked")
        box = "" if checked is None else _DONE if checked else _UNDONE
        self._builder.mark_item(" ".join(filter(None, (number, box))) or _BULLET)
        self._is_first = True

    def _write_code(self, token: Token) -> None:
        """Code, behind a line of whatever its fence says that is no language's name."""
        language, _, rest = token.info.strip().partition(" ")
        if not _LANGUAGE.fullmatch(language) or is_blank(token.content):
            language, rest = "", token.info
        self._builder.write(rest.strip())
        if not is_blank(token.content):
            self._builder.pre(token.content, language)

    def _write_definition(self, token: Token) -> None:
        """The address of a reference is in the links that name it; without one, it is text."""
        if token.meta["id"] in self._used_labels:
            self._used_labels.remove(token.meta["id"])
            return
        self._begin_block(token)
        self._builder.write(definition_text(token))
