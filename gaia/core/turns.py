"""How many turns run, how many may at once, and what gives way to them: work for the model
that runs in the background."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

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


class Slots:
    """Lets `total` turns run at once, in the order in which they asked.

    One user has at most half of them, however many conversations they have, so that a
    person in many chats, or a slow model in one of them, holds up nobody else.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self._all = asyncio.Semaphore(total)
        self._per_user = (total + 1) // 2
        self._of_user: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def taken(self, user_id: str) -> AsyncIterator[None]:
        """Hold a slot for a turn of this user while the block lasts; wait for one first."""
        own = self._of_user.get(user_id)
        if own is None:
            own = self._of_user[user_id] = asyncio.Semaphore(self._per_user)
        # A user's own limit first: who waits for that one keeps nobody waiting.
        async with own, self._all:
            yield
