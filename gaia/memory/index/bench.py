"""Threads for calls that block, so that the loop never does."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    """A call, and where what comes of it goes."""

    call: Callable[[], None]
    is_void: Callable[[], bool]


class Bench:
    """A fixed number of threads that take calls in order; they start with the first.

    A call that runs cannot be ended: whoever waits for it may leave, and the thread is
    lost until it returns. None of them keeps the process from ending.
    """

    def __init__(self, name: str, *, threads: int = 1) -> None:
        self._name = name
        self._threads = threads
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._running: set[_Job] = set()
        self._started = False

    @property
    def stuck(self) -> bool:
        """Whether every thread is busy with a call that nobody waits for any more."""
        left = [job for job in tuple(self._running) if job.is_void()]
        return len(left) >= self._threads

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns or raises, in one of the threads."""
        self._start()
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def deliver(value: T | None, failure: BaseException | None) -> None:
            if result.done():
                return
            if failure is not None:
                result.set_exception(failure)
            else:
                result.set_result(value)  # type: ignore[arg-type]

        def work() -> None:
            value, failure = None, None
            try:
                value = call()
            except BaseException as exc:
                failure = exc
            if not loop.is_closed():
                loop.call_soon_threadsafe(deliver, value, failure)

        self._jobs.put(_Job(work, result.cancelled))
        return await result

    def close(self) -> None:
        """Let the threads end once they are idle. The bench may be used again."""
        if self._started:
            self._started = False
            for _ in range(self._threads):
                self._jobs.put(None)

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        for number in range(self._threads):
            threading.Thread(target=self._serve, name=f"{self._name}-{number}", daemon=True).start()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.is_void():
                continue
            self._running.add(job)
            try:
                job.call()
            finally:
                self._running.discard(job)
