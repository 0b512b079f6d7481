"""How long things take on WhatsApp and at Twilio, and how long gaia waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Timing:
    """All of it, in seconds but for what is a `timedelta`."""

    connect: float = 10.0
    pool: float = 30.0
    """For a free connection: more than enough, since a request takes a moment."""
    read: float = 20.0
    write: float = 10.0
    download: float = 120.0
    typing: float = 20.0
    """WhatsApp shows for 25 seconds that somebody types."""
    catch_up: float = 300.0
    """Between two looks for messages that no webhook told of."""
    first_pause: float = 1.0
    longest_pause: float = 60.0
    refused: float = 300.0
    """Twilio refuses the credentials, or the number: only the owner can mend that."""
    stall: float = 900.0
    """Without a good answer for so long the channel is deaf."""
    window: timedelta = timedelta(hours=24, minutes=-1)
    """So long after a message of theirs a person may be written to freely. WhatsApp's
    window is a minute longer: a message takes a moment to get there."""
    looked_back: timedelta = timedelta(hours=24)
    """How far back messages are looked for after a pause."""
    overlap: timedelta = timedelta(minutes=10)
    """How far a look reaches into what the one before has seen: messages may be listed late."""
    webhook_time: timedelta = timedelta(minutes=1)
    """A message that is younger may still come by webhook: it is not looked for yet."""

    def pauses(self) -> Iterator[float]:
        """The pauses between tries, without end."""
        pause = self.first_pause
        while True:
            yield pause
            pause = min(2 * pause, self.longest_pause)
