"""Gates: chats that a provider wants to be left alone for a while.

A gate holds for the whole chat, and for nobody else. Whoever asks the provider
during it makes it longer.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from gaia.ports import Clock

Chat = TypeVar("Chat", bound=Hashable)


class Gates(Generic[Chat]):
    """Which chats are closed, and for how long."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._opens_at: dict[Chat, float] = {}

    def close(self, chat: Chat, seconds: float) -> None:
        """Leave a chat alone for so long, at least."""
        now = self._clock.monotonic()
        self._opens_at = {each: at for each, at in self._opens_at.items() if at > now}
        self._opens_at[chat] = max(now + seconds, self._opens_at.get(chat, now))

    def remaining(self, chat: Chat) -> float:
        """Seconds until a chat is open; 0 when it is."""
        return max(0.0, self._opens_at.get(chat, 0.0) - self._clock.monotonic())
