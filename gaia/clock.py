"""The real clock, and ways to wait: for the first of several, within a time, until it works.

Whatever waits takes a `gaia.ports.Clock`; tests use `gaia.testing.clock.FakeClock`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Self, TypeVar

from gaia.ports import Clock

T = TypeVar("T")
Failure = TypeVar("Failure", bound=Exception)


class SystemClock:
    """Time as the operating system tells it; implements `gaia.ports.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


LONGEST_PLAN = timedelta(days=7)
"""No provider asks to be left alone for longer."""


def time_left(planned: datetime | None, now: datetime) -> timedelta:
    """How long it is until a moment for which a next try is planned; nothing once that has come.
    Where that is further away than any try is planned, the clock was wrong when that was done, and
    has been set back since."""
    nothing = timedelta(0)
    if planned is None or planned - now > LONGEST_PLAN:
        return nothing
    return max(planned - now, nothing)


async def first_of(*work: Coroutine[object, object, T]) -> T:
    """Run all of `work` at once, and return or raise what the first to end does.

    The others are cancelled, and have ended when this returns. Of those that end
    together a failure wins, then the one that stands first.
    """
    tasks = [asyncio.create_task(each) for each in work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        results = [task.result() for task in tasks if task.done()]
        return results[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.exception()  # Otherwise asyncio complains that nobody looked.


async def within(clock: Clock, seconds: float, work: Coroutine[object, object, T]) -> T:
    """Return what `work` does, if it does within `seconds`.

    Raises `TimeoutError` when it does not; it has ended then.
    """

    async def expire() -> T | _Expired:
        await clock.sleep(seconds)
        return _Expired()

    result: T | _Expired = await first_of(work, expire())
    if isinstance(result, _Expired):
        raise TimeoutError
    return result


class Deadline:
    """Bounds the sum of several steps to `seconds` from its making.

    `asyncio.timeout` may not stand around the `yield` of a generator: it would
    cancel whoever holds the generator at that moment. So each step is bounded
    for itself, by one watch that runs for the whole block.
    """

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.passed = False
        self._clock = clock
        self._ends = clock.monotonic() + seconds
        self._step: asyncio.Timeout | None = None

    @property
    def seconds_left(self) -> float:
        return self._ends - self._clock.monotonic()

    async def __aenter__(self) -> Self:
        self._watch = asyncio.create_task(self._expire(), name="deadline")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._watch.cancel()
        await asyncio.wait({self._watch})

    async def step(self, work: Awaitable[T]) -> T:
        """Await `work`, in the present task. Raises `TimeoutError`, with `passed` set, when
        time is up."""
        async with asyncio.timeout(0 if self.passed else None) as self._step:
            try:
                return await work
            finally:
                self._step = None

    async def _expire(self) -> None:
        await self._clock.sleep(self.seconds_left)
        self.passed = True
        if self._step is not None:
            self._step.reschedule(0)


async def until_set(clock: Clock, seconds: float, event: asyncio.Event) -> None:
    """Return once `event` is set, or after so many `seconds`."""
    with suppress(TimeoutError):
        await within(clock, seconds, event.wait())


def growing_pauses(first: float, longest: float) -> Iterator[float]:
    """Yield pauses in seconds, each twice the one before up to `longest`, without end."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)


async def retry(
    clock: Clock,
    attempt: Callable[[], Awaitable[T]],
    pauses: Iterator[float],
    failures: type[Failure] | tuple[type[Failure], ...],
    failed: Callable[[Failure, Iterator[float]], Awaitable[float]],
) -> T:
    """Call `attempt` until it raises none of `failures`, and return its result.

    `failed` is told of each failure, and says how many seconds to wait: the next of
    `pauses`, or what it knows better.
    """
    while True:
        try:
            return await attempt()
        except failures as exc:
            seconds = await failed(exc, pauses)
        await clock.sleep(seconds)


class _Expired:
    pass
