"""What the processes on one PostgreSQL database tell each other, and what is done with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

HELD, WANTED, RECOVER, LEAD, FORGOTTEN = "held", "wanted", "recover", "lead", "forgotten"
"""What a notice is about: a conversation for its holder, or for whoever has its channel, what is
free, what is the leader's, and that something is forgotten for good."""


async def _nothing() -> None:
    """Nobody has said yet what is to be done."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What is done with what others tell.

    Attributes:
        woken: For a conversation that this process holds and somebody else wrote to.
        recover: When something may be free that was held.
        led: While it leads, when there may be something for the leader to do.
        followed: When another one is about to lead. It ends what only the leader does.
        has: Whether this process has a channel of that name.
        forgotten: When another one has forgotten something for good.
        clean: When this home's files have to be cleaned of something.
        settings: When another one may have changed some.
    """

    woken: Callable[[int], None] = lambda conversation_id: None
    recover: Callable[[], Awaitable[None]] = _nothing
    led: Callable[[], Awaitable[None]] = _nothing
    followed: Callable[[], Awaitable[None]] = _nothing
    has: Callable[[str], bool] = lambda channel: True
    forgotten: Callable[[], None] = lambda: None
    clean: Callable[[], None] = lambda: None
    settings: Callable[[], None] = lambda: None
