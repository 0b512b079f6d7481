"""One bound of time over the many steps of one call, by the injected clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from types import TracebackType
from typing import Self, TypeVar

from gaia.ports import Clock

T = TypeVar("T")


class Deadline:
    """Bounds the sum of its steps to `seconds` from the entry of the block.

    `asyncio.timeout` may not stand around the `yield` of a generator: it would
    cancel whoever holds the generator at that moment. So each step is bounded
    for itself, by one watch that runs for the whole call.
    """

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._ends = clock.monotonic() + seconds
        self._watch: asyncio.Task[None] | None = None
        self._step: asyncio.Timeout | None = None
        self._passed = False

    @property
    def passed(self) -> bool:
        return self._passed

    @property
    def seconds_left(self) -> float:
        return self._ends - self._clock.monotonic()

    async def __aenter__(self) -> Self:
        self._watch = asyncio.create_task(self._expire(), name="model-deadline")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._watch is None:
            return
        self._watch.cancel()
        await asyncio.wait({self._watch})
        if not self._watch.cancelled():
            self._watch.result()

    async def step(self, work: Awaitable[T]) -> T:
        """Await `work`; raises `TimeoutError`, with `passed` set, when time is up."""
        async with asyncio.timeout(0 if self._passed else None) as bound:
            self._step = bound
            try:
                return await work
            finally:
                self._step = None

    async def _expire(self) -> None:
        await self._clock.sleep(self.seconds_left)
        self._passed = True
        if self._step is not None:
            self._step.reschedule(0)
