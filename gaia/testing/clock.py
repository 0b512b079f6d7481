"""A clock that stands still until a test moves it, and waiting for what no event tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)

BUSY_ROUNDS, POLL_SECONDS = 100, 0.001
"""How often `until` looks at once, and how long it waits between later looks."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sleeper:
    due: float
    woken: asyncio.Future[None]


class FakeClock:
    """Time that moves only by `advance`; implements `gaia.ports.Clock`.

    A test waits with `until_sleeping` for the code under test to fall asleep,
    then advances: there is no race between the two, and nothing really waits.
    """

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[_Sleeper] = []
        self._changed = asyncio.Event()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = _Sleeper(self._elapsed + seconds, asyncio.get_running_loop().create_future())
        self._sleepers.append(sleeper)
        self._changed.set()
        try:
            await sleeper.woken
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)

    @property
    def sleeping(self) -> tuple[float, ...]:
        """Seconds until each sleeper wakes, soonest first."""
        return tuple(sorted(sleeper.due - self._elapsed for sleeper in self._sleepers))

    def advance(self, seconds: float) -> None:
        """Move time, and wake in order of their due times all who are due.

        They run when the test next awaits.
        """
        self._elapsed += seconds
        due = sorted((s for s in self._sleepers if s.due <= self._elapsed), key=lambda s: s.due)
        for sleeper in due:
            self._sleepers.remove(sleeper)
            if not sleeper.woken.done():
                sleeper.woken.set_result(None)

    async def until_sleeping(self, count: int = 1) -> None:
        """Return once at least `count` are asleep at the same time."""
        while len(self._sleepers) < count:
            self._changed.clear()
            await self._changed.wait()


async def until(condition: Callable[[], bool], *clocks: FakeClock) -> None:
    """Let the loop run until `condition` holds.

    On each of the clocks, whoever sleeps is woken; time does not pass otherwise. What takes
    many rounds of the loop waits for a socket, a thread or a process, which has the processor
    between the later ones.
    """
    for round_number in count():
        if condition():
            return
        for clock in clocks:
            if clock.sleeping:
                clock.advance(clock.sleeping[0])
        await asyncio.sleep(0 if round_number < BUSY_ROUNDS else POLL_SECONDS)
