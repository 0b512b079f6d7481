"""Windows: a sealed session cut into parts that a model reads in one call each.

Turns stay whole. Of a turn that is too long the model is shown a part; what the user
said of it is checked in full all the same. The same turns are always cut the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from gaia.memory.extraction import AskModel, Window
from gaia.memory.search.recall import tokens as tokens_of
from gaia.store.archive import ArchivedTurn

ANSWER_SHARE = 20
"""An answer of gaia takes at most this part of a window: it only helps to understand
what the user says."""

WINDOW_TOKENS = 10_000
SMALL_WINDOW_TOKENS = 1_800
LEAST_TOKENS = 300
CUT = " […] "


def window_tokens(ask: AskModel) -> int:
    """About how many tokens of a conversation a model reads at once: half of what its host
    takes, where that is less than usual. The rest is for instructions and what is known."""
    usual = SMALL_WINDOW_TOKENS if ask.is_small else WINDOW_TOKENS
    if ask.most_tokens is None:
        return usual
    return min(usual, max(LEAST_TOKENS, int(ask.most_tokens / 2)))


def cut(
    turns: Sequence[ArchivedTurn],
    *,
    tokens: int,
    user_name: str,
    in_group: bool = False,
    zone: tzinfo = UTC,
    read: int = 0,
    before: ArchivedTurn | None = None,
) -> Sequence[Window]:
    """The windows of `turns`, each of about `tokens`. `read` windows came before them, of
    turns that are not among these, the last of which is `before`."""
    windows: list[list[ArchivedTurn]] = []
    room = 0.0
    for turn in turns:
        part = shown(turn, tokens)
        size = tokens_of(part.asked) + tokens_of(part.answer)
        if not windows or size > room:
            windows.append([])
            room = tokens
        windows[-1].append(turn)
        room -= size
    return [
        Window(
            number=read + number,
            of=read + len(windows),
            turns=tuple(each),
            so_far="",
            user_name=user_name,
            in_group=in_group,
            zone=zone,
            before=windows[number - 2][-1] if number > 1 else before,
        )
        for number, each in enumerate(windows, 1)
    ]


def shown(turn: ArchivedTurn, tokens: int) -> ArchivedTurn:
    """The turn as a model is shown it in a window of about `tokens`: of what was asked, if it is
    long, the beginning and the end, and of gaia's answer far less."""
    of_answer = tokens // ANSWER_SHARE
    asked = _shortened(turn.asked, tokens - of_answer)
    return replace(turn, asked=asked, answer=_shortened(turn.answer, of_answer))


def _shortened(text: str, tokens: int) -> str:
    size = tokens_of(text)
    if size <= tokens:
        return text
    half = int(len(text) * tokens / size) // 2
    return f"{text[:half].rstrip()}{CUT}{text[len(text) - half :].lstrip()}"
