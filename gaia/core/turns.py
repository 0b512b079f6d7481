"""How many turns run, and what gives way to them: work for the model that nobody waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Turns:
    """Counts the turns that run."""

    def __init__(self) -> None:
        self._running = 0
        self._some = asyncio.Event()
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one_running(self) -> Iterator[None]:
        """Count a turn for as long as the block lasts."""
        self._running += 1
        self._none.clear()
        self._some.set()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._some.clear()
                self._none.set()

    async def give_way(self, call: Callable[[], Coroutine[object, object, T]]) -> T:
        """Call once no turn runs. When one begins meanwhile, the call is cancelled, and
        made again after it."""
        while True:
            await self._none.wait()
            work = asyncio.create_task(call(), name="gives-way-to-turns")
            begun = asyncio.create_task(self._some.wait())
            try:
                await asyncio.wait((work, begun), return_when=asyncio.FIRST_COMPLETED)
            finally:
                work.cancel()
                begun.cancel()
                await asyncio.wait((work, begun))
            if not work.cancelled():
                return work.result()
