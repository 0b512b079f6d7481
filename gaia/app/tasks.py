"""The background tasks of the daemon, by name: each can be ended, and begun anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from gaia.core.supervisor import keep_running, until_done
from gaia.ports import Clock


class Tasks:
    """Tasks of one group."""

    def __init__(self, group: asyncio.TaskGroup, clock: Clock) -> None:
        self._group = group
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._passing: set[asyncio.Task[None]] = set()
        self._is_over = False

    def start(
        self, name: str, run: Callable[[], Awaitable[None]], *, supervised: bool = True
    ) -> None:
        """Run it until it is stopped. One that is not `supervised` takes the daemon with it
        when it fails. Ignored once all were cancelled.

        Raises:
            ValueError: A task of that name runs.
        """
        if name in self._tasks:
            raise ValueError(f"a task called {name!r} runs already")
        if self._is_over:
            return
        running = self._supervise(name, run) if supervised else _run(run)
        self._tasks[name] = self._group.create_task(running, name=name)

    def run_once(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run it to its end, beside others of that name; what fails is tried again. Ignored
        once all were cancelled."""
        if self._is_over:
            return
        task = self._group.create_task(until_done(name, run, self._clock), name=name)
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def stop(self, name: str) -> None:
        """Cancel a task, and return when it has ended. Does nothing when there is none."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def cancel(self) -> None:
        """Cancel all, those begun last first. Nothing is begun from then on."""
        self._is_over = True
        for task in (*reversed(self._tasks.values()), *self._passing):
            task.cancel()
        self._tasks.clear()

    async def _supervise(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        await keep_running(name, run, self._clock)


async def _run(run: Callable[[], Awaitable[None]]) -> None:
    await run()
