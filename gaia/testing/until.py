"""Waiting in tests for what no event tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from gaia.testing.clock import FakeClock


async def until(condition: Callable[[], bool], *clocks: FakeClock) -> None:
    """Let the loop run until `condition` holds.

    On each of the clocks, whoever sleeps is woken; time does not pass otherwise.
    """
    while not condition():
        for clock in clocks:
            if clock.sleeping:
                clock.advance(clock.sleeping[0])
        await asyncio.sleep(0)
