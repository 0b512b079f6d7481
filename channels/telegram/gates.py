"""Gates: chats that Telegram wants to be left alone for a while.

A gate holds for the whole chat, all its topics, and for nobody else. Whoever
asks Telegram during it makes it longer.
"""

from __future__ import annotations

from gaia.ports import Clock


class Gates:
    """Which chats are closed, and for how long."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._opens_at: dict[int, float] = {}

    def close(self, chat_id: int, seconds: float) -> None:
        """Leave a chat alone for so long, at least."""
        now = self._clock.monotonic()
        self._opens_at = {chat: at for chat, at in self._opens_at.items() if at > now}
        self._opens_at[chat_id] = max(now + seconds, self._opens_at.get(chat_id, now))

    def remaining(self, chat_id: int) -> float:
        """Seconds until a chat is open; 0 when it is."""
        return max(0.0, self._opens_at.get(chat_id, 0.0) - self._clock.monotonic())
