"""APScheduler, watched: it tells when it is time, whatever the clock of the machine does."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped]
from apscheduler.triggers.date import DateTrigger  # type: ignore[import-untyped]
from apscheduler.triggers.interval import IntervalTrigger  # type: ignore[import-untyped]

from gaia.ports import Clock

logger = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(days=2)
"""No single time is told further ahead than that."""


class WatchfulScheduler(AsyncIOScheduler):  # type: ignore[misc]
    """An APScheduler that a clock set back does not stall.

    It compares times of day: after a jump back of a day, the next time of each job would
    be a day further away than it can be. Such a job is due at once. It is looked at
    whenever the timer fires, which goes by a clock that never jumps.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(timezone=UTC)
        self._clock = clock
        self._longest: dict[str, timedelta] = {}

    def ring_at(self, name: str, moment: datetime, ring: Callable[[], Awaitable[None]]) -> None:
        """Call `ring` at that moment, in the place of what was to be called under the name."""
        self._set(name, DateTrigger(moment, timezone=UTC), moment, ring, LONGEST_WAIT)

    def ring_every(
        self,
        name: str,
        interval: timedelta,
        ring: Callable[[], Awaitable[None]],
        *,
        after: timedelta,
    ) -> None:
        """Call `ring` at intervals, `after` a while for the first time, in the place of what
        was to be called under the name."""
        trigger = IntervalTrigger(seconds=interval.total_seconds(), timezone=UTC)
        first = self._clock.now() + after
        self._set(name, trigger, first, ring, max(interval, after))

    def silence(self, name: str) -> None:
        """Call nothing more under the name."""
        if self.get_job(name) is not None:
            self.remove_job(name)

    def wakeup(self) -> None:
        """Look for what is due."""
        now = self._clock.now()
        for job in self.get_jobs():
            if job.next_run_time - now > self._longest[job.id]:
                logger.info("the clock was set back: job %s is looked at now", job.id)
                job.modify(next_run_time=now)
        super().wakeup()

    def _set(
        self,
        name: str,
        trigger: BaseTrigger,
        first: datetime,
        ring: Callable[[], Awaitable[None]],
        longest: timedelta,
    ) -> None:
        self._longest[name] = longest
        self.add_job(
            ring,
            trigger,
            id=name,
            next_run_time=first,
            replace_existing=True,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
