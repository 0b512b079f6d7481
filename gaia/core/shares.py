"""Which work is this process's own, where several work on one database; all of it, where there is
one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from gaia.store.processes.processes import Process

SHARE_KEY = TypeVar("SHARE_KEY", bound=Hashable, contravariant=True)


class Share(Protocol[SHARE_KEY]):
    """Tells whose work it is, where several processes share it."""

    async def takes(self, key: SHARE_KEY) -> bool:
        """Whether the work is for this process; if it is not, whose it is has been told."""
        ...


class All:
    """Implements `Share`: there is one process, and all work is its."""

    async def takes(self, key: object) -> bool:
        return True


ALL = All()


async def _at_once() -> None:
    """There is nobody to wait for."""


async def _nothing_moves(channel: str, chat: str) -> Sequence[int]:
    return ()


async def _none() -> Sequence[Process]:
    return ()


@dataclass(frozen=True, slots=True)
class Shares:
    """Whose work is whose: that of a conversation, and that which one process does for all."""

    conversations: Share[int] = ALL
    leader: Share[object] = ALL
    leads: Callable[[], bool] = lambda: True
    lives: Callable[[], bool] = lambda: True
    """Whether this process has not been cut off from the others."""
    until_leads: Callable[[], Awaitable[None]] = _at_once
    here: Callable[[str, str], Awaitable[Sequence[int]]] = _nothing_moves
    """Of a channel and a chat: somebody is at it here. Returns what is this process's now."""
    tell_forgotten: Callable[[], None] = lambda: None
    """Have all processes drop what they hold in memory of what may have been forgotten."""
    processes: Callable[[], Awaitable[Sequence[Process]]] = _none
    """All that work together; none where there is one."""
