"""What the log says of requests that are refused. Anybody on the internet may make them, as
many as they like: the log shall have a line of it, and keep those that were there before."""

from __future__ import annotations

import logging

from gaia.ports import Clock

SECONDS = 60.0


class RefusedRequests:
    """Warns that a request to `what` is refused: once a minute for each reason, of which
    there are a few fixed ones."""

    def __init__(self, logger: logging.Logger, what: str, clock: Clock) -> None:
        self._logger = logger
        self._what = what
        self._clock = clock
        self._told_at: dict[str, float] = {}
        self._untold: dict[str, int] = {}

    def note(self, reason: str) -> None:
        """One more was refused. `reason` has nothing of the request in it."""
        now = self._clock.monotonic()
        told_at = self._told_at.get(reason)
        if told_at is not None and now - told_at < SECONDS:
            self._untold[reason] = self._untold.get(reason, 0) + 1
            return
        self._told_at[reason] = now
        untold = self._untold.pop(reason, 0)
        more = f" ({untold} more since this was last said)" if untold else ""
        self._logger.warning("a request to %s is refused: %s%s", self._what, reason, more)
