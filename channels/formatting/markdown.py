"""Reads Markdown into a `Document`, block by block.

Lines end where the text ends them, and blocks have an empty line between them
where the text has one, which is what people see in a messenger. Nothing that
was written is lost: what has no form in a messenger is shown as text.

The parser is CommonMark with tables, strikethrough and task lists, set up so that nothing
that was written is left out of its tokens. CommonMark does not end emphasis between
punctuation and a letter, as in `**「太字」**です`, since in other scripts a space stands
there. Here a letter of Chinese, Japanese or Korean counts as if one did. Stars between two
digits are a product or a power, as in `2*3*4`, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine, table
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from channels.formatting.characters import clean, is_blank
from channels.formatting.document import Document, DocumentBuilder, Style
from channels.formatting.inline import LinkRule, write_inline
from channels.formatting.literals import literals, windows_paths
from channels.formatting.tables import read_table, write_table

_RULE = "—" * 10
_BULLET, _UNDONE, _DONE = "•", "☐", "☑"
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,32}")

_DEEPEST = 60

_LETTER = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3040-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


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
        self._used_labels = set(_labels(tokens))

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
        title = f' "{token.meta["title"]}"' if token.meta["title"] else ""
        self._builder.write(f"[{token.meta['label']}]: {token.meta['url']}{title}")


def _labels(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the references that links and images name."""
    for token in tokens:
        if "label" in token.meta and token.type != "definition":
            yield token.meta["label"]
        yield from _labels(token.children or ())


class _Parser(MarkdownIt):
    """Passes on addresses as they were written, and every scheme."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def tokens_of(text: str) -> Sequence[Token] | None:
    """Return the tokens of `text`; None if its blocks are nested deeper than can be read.

    HTML is text. A definition of a reference is a token of its own, and the
    tokens of links and images that use one name it in `meta["label"]`. The meta
    of a list's item has `checked` if it is a task. A table's row has all its
    cells, also those that have no heading.
    """
    options = {
        "html": False,
        "inline_definitions": True,
        "store_labels": True,
        "tasklists": True,
        "maxNesting": _DEEPEST,
    }
    parser = _Parser("commonmark", options)
    parser.enable(["strikethrough", "table"])
    parser.inline = EmphasisParser(parser.inline)
    parser.inline.ruler.before("escape", "backslash", _backslash_of_windows)
    parser.block.ruler.at("table", _table_with_every_cell, {"alt": ["paragraph", "reference"]})
    tokens = parser.parse(text)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):
        return None
    return tokens


def _table_with_every_cell(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    known = len(state.tokens)
    found = table(state, start, end, silent)
    if found and not silent:
        state.tokens[known:] = _with_every_cell(state, state.tokens[known:])
    return found


def _with_every_cell(state: StateBlock, tokens: Sequence[Token]) -> Iterator[Token]:
    line, cells = 0, 0
    for token in tokens:
        if token.type == "tr_open" and token.map:
            line, cells = token.map[0], 0
        elif token.type == "inline":
            cells += 1
        elif token.type == "tr_close":
            for content in _cells(getLine(state, line))[cells:]:
                yield Token("td_open", "td", 1)
                yield Token("inline", "", 0, children=[], content=mdTrim(content))
                yield Token("td_close", "td", -1)
        yield token


def _cells(line: str) -> list[str]:
    cells = escapedSplit(mdTrim(line))
    first = 1 if cells and not cells[0] else 0
    last = len(cells) - 1 if len(cells) > first and not cells[-1] else len(cells)
    return cells[first:last]


class EmphasisParser(ParserInline):
    """Reads what is within a line, with the rules of another parser."""

    def __init__(self, rules_of: ParserInline) -> None:
        super().__init__()
        self.ruler, self.ruler2 = rules_of.ruler, rules_of.ruler2

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _backslash_of_windows(state: StateInline, silent: bool) -> bool:
    """Leave a backslash as it is where it is a path's: it makes nothing of what follows it."""
    paths = state.windows_paths if isinstance(state, _State) else ()
    is_one = state.src[state.pos] == "\\" and any(start <= state.pos < end for start, end in paths)
    if is_one:
        if not silent:
            state.pending += "\\"
        state.pos += 1
    return is_one


class _State(StateInline):
    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self._literals = literals(src)
        self.windows_paths = windows_paths(src)

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        scanned = super().scanDelims(start, canSplitWord)
        if any(begin <= start < end for begin, end in self._literals):
            return Scanned(can_open=False, can_close=False, length=scanned.length)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if self.src[start] == "*" and before.isdigit() and after.isdigit():
            return Scanned(can_open=False, can_close=False, length=scanned.length)
        return Scanned(
            scanned.can_open or bool(canSplitWord and _LETTER.match(before) and after.strip()),
            scanned.can_close or bool(canSplitWord and _LETTER.match(after) and before.strip()),
            scanned.length,
        )
