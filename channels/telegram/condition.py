"""How the channel is: whether messages come in, and if they don't, why."""

from __future__ import annotations

import logging
from datetime import datetime

from telegram.error import Conflict, InvalidToken, TelegramError

from channels.telegram.faults import describe
from gaia.messages import Health
from gaia.ports import Clock

logger = logging.getLogger(__name__)


class Condition:
    """What is known of the channel at the moment. Polls, sends and the store report to it.

    Without a good report for `stall_seconds` it is not well either, whatever the
    last one was; None for a channel that Telegram calls by itself.
    """

    def __init__(self, clock: Clock, *, stall_seconds: float | None) -> None:
        self._clock = clock
        self._stall_seconds = stall_seconds
        self._is_serving = False
        self._trouble: str | None = None
        self._troubled_since: datetime | None = None
        self._well_at = self._present()
        self._storing_fails = False

    def begin(self) -> None:
        """The channel serves, and knows nothing of Telegram yet."""
        self._is_serving = True
        self._storing_fails = False
        self._trouble = "connecting to Telegram"
        self._troubled_since = None

    def end(self) -> None:
        """The channel does not serve any more."""
        self._is_serving = False

    def well(self) -> None:
        """Telegram answered as it should."""
        if self._troubled_since is not None:
            logger.info("Telegram is back: %s is over", self._trouble)
        self._trouble = self._troubled_since = None
        self._well_at = self._present()

    def failed(self, exc: TelegramError) -> None:
        """A request that has to succeed did not."""
        match exc:
            case InvalidToken() | Conflict():
                self.troubled(describe(exc))
            case _:
                since = self._troubled_since or self._clock.now()
                self.troubled(f"Telegram cannot be reached since {_hour(since)}: {describe(exc)}")

    def troubled(self, trouble: str) -> None:
        """Something is wrong, in words that the owner reads."""
        if self._trouble != trouble:
            logger.warning("%s", trouble)
        self._troubled_since = self._troubled_since or self._clock.now()
        self._trouble = trouble

    def stored(self, *, succeeded: bool) -> None:
        """Whether the last message that arrived could be stored."""
        self._storing_fails = not succeeded
        if succeeded:
            self._well_at = self._present()

    def health(self) -> Health:
        if not self._is_serving:
            return Health(ok=False, detail="not serving")
        if self._storing_fails:
            return Health(ok=False, detail="messages cannot be stored, and wait at Telegram")
        if self._trouble is not None:
            return Health(ok=False, detail=self._trouble)
        at, since = self._well_at
        if self._stall_seconds is not None and self._clock.monotonic() - at > self._stall_seconds:
            return Health(ok=False, detail=f"polling has stalled: no answer since {_hour(since)}")
        return Health(ok=True)

    def _present(self) -> tuple[float, datetime]:
        return self._clock.monotonic(), self._clock.now()


def _hour(time: datetime) -> str:
    return f"{time:%H:%M} UTC"
