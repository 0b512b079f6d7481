"""Emphasis in scripts without spaces between words, and none in arithmetic.

CommonMark does not end emphasis between punctuation and a letter, as in
`**「太字」**です`, since in other scripts a space stands there. Here a letter of
Chinese, Japanese or Korean counts as if one did. Stars between two digits are a
product or a power, as in `2*3*4`, and stay.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

_LETTER = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3040-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


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


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        scanned = super().scanDelims(start, canSplitWord)
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
