"""The Markdown parser: CommonMark with tables, strikethrough and task lists, set up
so that nothing that was written is left out of its tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine, table
from markdown_it.token import Token

from channels.formatting.emphasis import EmphasisParser

_DEEPEST = 60


class _Parser(MarkdownIt):
    """Passes on addresses as they were written, and every scheme."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def tokens_of(text: str) -> Sequence[Token] | None:
    """The tokens of `text`; None if its blocks are nested deeper than can be read.

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
