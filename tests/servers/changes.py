"""Waiting for a change: whoever waits looks again after each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Changes:
    """Tells those who wait that something changed. For one event loop.

    `tell` takes no lock, so that what a person does in a test is a plain call.
    """

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def tell(self) -> None:
        """Have all who wait look again."""
        for each in self._waiting:
            if not each.done():
                each.set_result(None)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once `holds` does."""
        while not holds():
            told = asyncio.get_running_loop().create_future()
            self._waiting.add(told)
            try:
                await told
            finally:
                self._waiting.discard(told)
