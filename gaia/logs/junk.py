"""A filter for what strangers can have gaia log: each line of it at most once a minute."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging import LogRecord
from time import monotonic

SECONDS = 60.0


class OnceAMinute(logging.Filter):
    """Passes a message, as its template and the kind of its exception tell it, once a minute. The
    next one that passes tells how many did not."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._told_at: dict[object, float] = {}
        self._untold: dict[object, int] = {}

    def filter(self, record: LogRecord) -> bool:
        now, key = self._seconds(), (record.msg, record.exc_info and record.exc_info[0])
        if now - self._told_at.get(key, -SECONDS) < SECONDS:
            self._untold[key] = self._untold.get(key, 0) + 1
            return False
        self._forget(now)
        self._told_at[key] = now
        untold = self._untold.pop(key, 0)
        if untold:
            record.msg = f"{record.msg} ({untold} more since this was last said)"
        return True

    def _forget(self, now: float) -> None:
        """Keep no message for longer than an hour: some hold what changes each time."""
        old = [key for key, at in self._told_at.items() if now - at > 60 * SECONDS]
        for key in old:
            del self._told_at[key]
            self._untold.pop(key, None)
