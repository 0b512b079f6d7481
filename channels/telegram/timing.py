"""How long things take on Telegram, and how long gaia waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """All of it, in seconds.

    Telegram holds a poll for `poll` at most; a connection that is silent `poll_slack`
    later is dead. Three polls without an answer are a stall.
    """

    poll: int = 25
    poll_slack: float = 10.0
    connect: float = 10.0
    pool: float = 30.0
    """For a free connection: more than enough, since a request takes a moment."""
    read: float = 20.0
    write: float = 10.0
    download: float = 120.0
    conflict: float = 5.0
    """Between polls that another process ends. Shorter than a poll, so that of two
    processes none has time to think that all is well."""
    first_pause: float = 1.0
    longest_pause: float = 30.0
    webhook_check: float = 60.0
    typing: float = 4.0
    """Telegram shows that somebody types for five seconds."""
    refused_token: float = 300.0

    @property
    def stall(self) -> float:
        """When a poll is given up, and a channel that completed none is deaf."""
        return 3.0 * self.poll

    def pauses(self) -> Iterator[float]:
        """The pauses between tries, without end."""
        pause = self.first_pause
        while True:
            yield pause
            pause = min(2 * pause, self.longest_pause)
