"""Workers: one task a conversation, or a user, while there is work for it, none otherwise.

What the work is does not matter here. It is woken by events and by time, never
by polling; an exception in it is logged and the work tried again after a pause.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from datetime import timedelta
from typing import Generic, TypeVar

from gaia.clock import until_set
from gaia.core.shares import ALL, Share
from gaia.logs import log_failure
from gaia.ports import Clock

logger = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(seconds=1)
LONGEST_PAUSE = timedelta(minutes=1)

KEY = TypeVar("KEY", bound=Hashable)

Work = Callable[[KEY], Awaitable[timedelta | None]]
"""Does what there is to do for a conversation, or a user, by its id. Returns after which
time to call it again, or None for when it is woken."""


class Workers(Generic[KEY]):
    """Runs `work` for each id that was woken and that `share` lets in, never twice at once for
    the same."""

    def __init__(self, name: str, work: Work[KEY], clock: Clock, share: Share[KEY] = ALL) -> None:
        self._name = name
        self._share = share
        self._work = work
        self._clock = clock
        self._wakes: dict[KEY, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        self._flushing = False

    def wake(self, key: KEY, *, after: timedelta = timedelta(0)) -> None:
        """Have the work done soon, or, where none is under way, after that time. Ignored once
        nothing new is begun."""
        wake = self._wakes.get(key)
        if wake is not None:
            wake.set()
        elif not self._closed:
            self._wakes[key] = asyncio.Event()
            # Whoever wakes it lends it nothing: its log lines are not of their turn.
            task = asyncio.create_task(
                self._serve(key, after),
                name=f"{self._name}-{key}",
                context=Context(),
            )
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @property
    def closed(self) -> bool:
        """Whether nothing new may be begun."""
        return self._closed

    async def drain(self) -> None:
        """Take no new step: return when those being taken are done."""
        self._closed = True
        await self._end()

    async def flush(self) -> None:
        """Return when nothing is left that could be done at once; then take no new step."""
        self._flushing = True
        await self._end()
        self._closed = True

    async def cancel(self) -> None:
        """Interrupt all work, at once, and begin none any more."""
        self._closed = True
        await self.interrupt()

    async def interrupt(self) -> None:
        """Interrupt all work, at once: from then on it is another process's."""
        for task in self._tasks:
            task.cancel()
        await self._end()

    async def _end(self) -> None:
        for wake in self._wakes.values():
            wake.set()
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _serve(self, key: KEY, after: timedelta) -> None:
        wake = self._wakes[key]
        pause = FIRST_PAUSE
        try:
            if after and not await self._settle(wake, after):
                return
            while not self._closed:
                wake.clear()
                try:
                    if not await self._share.takes(key):
                        return
                    again_after = await self._work(key)
                    pause = FIRST_PAUSE
                except Exception as exc:
                    log_failure(
                        logger,
                        exc,
                        "%s %s failed, next try in %.0f s",
                        self._name,
                        key,
                        pause.total_seconds(),
                    )
                    again_after, pause = pause, min(2 * pause, LONGEST_PAUSE)
                if again_after is None:
                    if not wake.is_set():
                        return
                elif again_after:
                    if self._flushing:
                        return
                    await until_set(self._clock, again_after.total_seconds(), wake)
        finally:
            del self._wakes[key]

    async def _settle(self, wake: asyncio.Event, longest: timedelta) -> bool:
        """Wait for all of that time, whoever wakes; returns False when nothing is begun any
        more."""
        ends_at = self._clock.monotonic() + longest.total_seconds()
        while not (self._closed or self._flushing):
            left = ends_at - self._clock.monotonic()
            if left <= 0:
                return True
            wake.clear()
            await until_set(self._clock, left, wake)
        return False
