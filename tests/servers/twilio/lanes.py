"""What the server does on its own: jobs, those of one lane one after the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine

from tests.servers.changes import Changes

Job = Callable[[], Coroutine[None, None, None]]


class Lanes:
    """Jobs by lanes. Those of different lanes run at the same time."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._waiting: deque[tuple[str, Job]] = deque()
        self._busy: set[str] = set()

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing runs."""
        return not self._waiting and not self._busy

    def put(self, lane: str, job: Job) -> None:
        """Have a job done when those before it in its lane are."""
        self._waiting.append((lane, job))
        self._changes.tell()

    async def run(self) -> None:
        """Run until cancelled, or until a job raises."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                await self._changes.until(lambda: self._next() is not None)
                ready = self._next()
                if ready is not None:
                    self._waiting.remove(ready)
                    self._busy.add(ready[0])
                    tasks.create_task(self._do(*ready))

    def _next(self) -> tuple[str, Job] | None:
        return next((each for each in self._waiting if each[0] not in self._busy), None)

    async def _do(self, lane: str, job: Job) -> None:
        try:
            await job()
        finally:
            self._busy.discard(lane)
            self._changes.tell()
