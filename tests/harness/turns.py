"""Turns of the archive, windows of them and what is offered with one, for tests that need no
store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from gaia.memory.contexts import GLOBAL
from gaia.memory.extraction import Offer, Target, Window
from gaia.store.archive import ArchivedTurn
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import START


def a_turn(
    number: int,
    words: str,
    answer: str = "I see.",
    *,
    asked: str | None = None,
    said_at: datetime | None = None,
) -> ArchivedTurn:
    """Turn `number` of a session, a minute after the one before. `asked` are the words
    unless told otherwise."""
    return ArchivedTurn(
        turn_id=f"t_{number}",
        user_id="u_1",
        conversation_id=1,
        session_id="u_1:terminal#1",
        asked=words if asked is None else asked,
        words=words,
        answer=answer,
        said_at=said_at or START + timedelta(minutes=number),
        context=GLOBAL,
        archive_id=number,
    )


def turns_of(*words: str) -> Sequence[ArchivedTurn]:
    """A session in which somebody says all this, a turn each."""
    return [a_turn(number, each) for number, each in enumerate(words, 1)]


def a_window(
    *words: str,
    turns: Sequence[ArchivedTurn] = (),
    user_name: str = "Ada",
    in_group: bool = False,
    so_far: str = "",
) -> Window:
    """The only window of a session: of these turns, or of one in which somebody says all
    this."""
    return Window(
        number=1,
        of=1,
        turns=tuple(turns) or tuple(turns_of(*words)),
        so_far=so_far,
        user_name=user_name,
        in_group=in_group,
    )


def an_offer(number: int, text: str) -> Offer:
    """A fact that is known, of the memory of the same number."""
    return Offer(number, Target(number), MemoryKind.FACT, text)
