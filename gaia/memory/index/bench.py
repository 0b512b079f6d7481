"""Threads for calls that block, so that the loop never does, and patience that ends."""

from __future__ import annotations

import asyncio
import queue
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from gaia.clock import within
from gaia.errors import IndexUnavailableError
from gaia.ports import Clock

PATIENCE_SECONDS = 180.0
"""How long a step may take: loading everything from a slow card takes a minute."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    """A call, and where what comes of it goes."""

    call: Callable[[], None]
    is_void: Callable[[], bool]


class Bench:
    """A fixed number of threads that take calls in order; they start with the first.

    A call that runs cannot be ended: whoever waits for it may leave, and the thread is
    lost until it returns. None of them keeps the process from ending, nor outlives, once
    idle, the bench that nobody holds any more.
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
        """Let the threads end once they are idle. The bench may be used again, with
        threads of its own: one that hangs is left behind."""
        if not self._started:
            return
        self._end()
        self._started, self._jobs, self._running = False, queue.SimpleQueue(), set()

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        # Also when it is dropped by whoever used it.
        self._end = weakref.finalize(self, _end, self._jobs, self._threads)
        for number in range(self._threads):
            threading.Thread(
                target=_serve,
                args=(self._jobs, self._running),
                name=f"{self._name}-{number}",
                daemon=True,
            ).start()


class PatientBench:
    """A bench whose calls are given up in the end. `what` they are about is for people."""

    def __init__(self, bench: Bench, clock: Clock, *, what: str) -> None:
        self._bench = bench
        self._clock = clock
        self._what = what

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns or raises.

        Raises:
            IndexUnavailableError: It takes too long, or an earlier one still does.
        """
        if self._bench.stuck:
            raise IndexUnavailableError(f"{self._what} hangs: if it stays so, restart gaia")
        try:
            return await within(self._clock, PATIENCE_SECONDS, self._bench.run(call))
        except TimeoutError as exc:
            raise IndexUnavailableError(
                f"{self._what} took longer than {PATIENCE_SECONDS:.0f} s"
            ) from exc

    def close(self) -> None:
        """Let the threads end once they are idle."""
        self._bench.close()


def _end(jobs: queue.SimpleQueue[_Job | None], threads: int) -> None:
    for _ in range(threads):
        jobs.put(None)


def _serve(jobs: queue.SimpleQueue[_Job | None], running: set[_Job]) -> None:
    while _take_next(jobs, running):
        pass


def _take_next(jobs: queue.SimpleQueue[_Job | None], running: set[_Job]) -> bool:
    """Do one call; False at the end. What has been done is not held while it waits."""
    job = jobs.get()
    if job is None:
        return False
    if not job.is_void():
        running.add(job)
        try:
            job.call()
        finally:
            running.discard(job)
    return True
