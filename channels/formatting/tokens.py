"""The tokens of Markdown.

The parser is CommonMark with tables, strikethrough and task lists, set up so that nothing
that was written is left out of its tokens. CommonMark does not end emphasis between
punctuation and a letter, as in `**「太字」**です`, since in other scripts a space stands
there. Here a letter of Chinese, Japanese or Korean counts as if one did. Stars between two
digits are a product or a power, as in `2*3*4`, and stay; so does one between two letters, as
in `a*b*c`. A formula stays as it is written, with its backslashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine, table
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from channels.formatting.literals import formulas, literals, windows_paths

_DEEPEST = 60

_LETTER = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3040-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_FACTOR = re.compile("[A-Za-z0-9\u0370-\u03ff]")
_ENDS = {"$$": "$$", "\\[": "\\]"}
"""How a formula with lines of its own begins and ends."""


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
    parser.inline.ruler.before("text", "formula", _formula)
    parser.block.ruler.before(
        "fence",
        "formula",
        _formula_with_lines_of_its_own,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    parser.block.ruler.at("table", _table_with_every_cell, {"alt": ["paragraph", "reference"]})
    tokens = parser.parse(text)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):
        return None
    return tokens


def labels(tokens: Sequence[Token]) -> set[str]:
    """The references that links and images name."""
    own = {
        each.meta["label"] for each in tokens if "label" in each.meta and each.type != "definition"
    }
    return own.union(*(labels(each.children) for each in tokens if each.children))


def definition_text(token: Token) -> str:
    """The definition of a reference, as it is written."""
    title = f' "{token.meta["title"]}"' if token.meta["title"] else ""
    return f"[{token.meta['label']}]: {token.meta['url']}{title}"


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


def _formula(state: StateInline, silent: bool) -> bool:
    end = state.formulas.get(state.pos) if isinstance(state, _State) else None
    if end is None or end > state.posMax:
        return False
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _formula_with_lines_of_its_own(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read such a formula as a paragraph: no line of it begins a list or a heading."""
    opening = getLine(state, start)[:2]
    if opening not in _ENDS or state.is_code_block(start):
        return False
    for line in range(start, end):
        text = getLine(state, line).strip()
        if text.endswith(_ENDS[opening]) and (line > start or len(text) > 3):
            break
        begins_another = line > start and text.startswith(opening)
        if not text or begins_another or state.sCount[line] < state.blkIndent:
            return False
    else:
        return False
    if not silent:
        state.line = line + 1
        state.push("paragraph_open", "p", 1).map = [start, state.line]
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        inline.map, inline.children = [start, state.line], []
        state.push("paragraph_close", "p", -1)
    return True


class _State(StateInline):
    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self._literals = literals(src)
        self.formulas = dict(formulas(src))
        self.windows_paths = windows_paths(src)

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        scanned = super().scanDelims(start, canSplitWord)
        if any(begin <= start < end for begin, end in self._literals):
            return Scanned(can_open=False, can_close=False, length=scanned.length)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if self.src[start] == "*" and _are_factors(before, after, scanned.length):
            return Scanned(can_open=False, can_close=False, length=scanned.length)
        return Scanned(
            scanned.can_open or bool(canSplitWord and _LETTER.match(before) and after.strip()),
            scanned.can_close or bool(canSplitWord and _LETTER.match(after) and before.strip()),
            scanned.length,
        )


def _are_factors(before: str, after: str, stars: int) -> bool:
    if before.isdigit() and after.isdigit():
        return True
    return stars == 1 and bool(_FACTOR.match(before) and _FACTOR.match(after))
