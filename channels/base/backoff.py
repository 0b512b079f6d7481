"""How long gaia waits for a provider, and when it leaves a chat alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from gaia.clock import growing_pauses
from gaia.ports import Clock

Chat = TypeVar("Chat", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long requests take and gaia waits between them, in seconds."""

    connect: float = 10.0
    pool: float = 30.0
    """For a free connection: more than enough, since a request takes a moment."""
    read: float = 20.0
    write: float = 10.0
    download: float = 120.0
    first_pause: float = 1.0
    longest_pause: float = 60.0

    def pauses(self) -> Iterator[float]:
        """Yield the pauses between tries, without end."""
        return growing_pauses(self.first_pause, self.longest_pause)


class ChatBackoff(Generic[Chat]):
    """Remembers which chats the provider wants to be left alone, and for how long.

    A flood limit holds for the whole chat, and for no other; asking the provider
    during it makes it longer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends_at: dict[Chat, float] = {}

    def hold(self, chat: Chat, seconds: float) -> None:
        """Leave `chat` alone for at least `seconds` from now."""
        now = self._clock.monotonic()
        self._ends_at = {each: at for each, at in self._ends_at.items() if at > now}
        self._ends_at[chat] = max(now + seconds, self._ends_at.get(chat, now))

    def remaining(self, chat: Chat) -> float:
        """Tell how many seconds `chat` is still to be left alone; 0 if it is not."""
        return max(0.0, self._ends_at.get(chat, 0.0) - self._clock.monotonic())
