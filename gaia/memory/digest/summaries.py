"""The summary of a window: what of it may be kept, and begin the next conversation."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.memory import credentials
from gaia.memory.digest.extractive import abstract
from gaia.memory.digest.figures import Founded
from gaia.memory.digest.findings import Window
from gaia.memory.digest.grounds import Grounds
from gaia.memory.digest.passages import sentences
from gaia.memory.excerpts import one_line
from gaia.memory.text import storable

LONGEST_SUMMARY = 1000
"""Characters of a summary, at most."""


def checked(told: str, window: Window) -> str:
    """Those sentences of a summary whose names and figures come up in the conversation,
    and which hold no credential; where none is left, an abstract in the user's words."""
    grounds = Grounds(_said(window))
    said_on = window.turns[-1].said_at.date() if window.turns else None
    kept: list[str] = []
    for each in sentences(storable(told)):
        text = one_line(each.group())
        if said_on is None or credentials.find(text) is not None:
            continue
        if grounds.judge(text, said_on) < Founded.OPENER:
            kept.append(text)
    summary = one_line(" ".join(kept), LONGEST_SUMMARY)
    return summary or window.so_far or abstract(window.turns, in_group=window.in_group)


def _said(window: Window) -> Sequence[str]:
    turns = [text for turn in window.turns for text in (turn.asked, turn.answer)]
    return [*turns, window.so_far, window.user_name]
