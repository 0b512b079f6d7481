"""A pool of threads for calls that block, so that the loop never does."""

from __future__ import annotations

import asyncio
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_Calls = queue.SimpleQueue[Callable[[], None] | None]


class DaemonThreadPool:
    """A fixed number of threads that take calls in order; they start with the first.

    A call that runs cannot be ended: whoever waits for it may leave, and the thread is
    lost until it returns. None of them keeps the process from ending, as one that waits for
    a lock or a slow disk would, nor outlives, once idle, the pool that nobody holds any more.
    """

    def __init__(self, name: str, *, threads: int = 1) -> None:
        self._name = name
        self._size = threads
        self._threads: list[threading.Thread] = []
        self._calls: _Calls = queue.SimpleQueue()
        self._left: set[Future[Any]] = set()

    @property
    def exhausted(self) -> bool:
        """Whether every thread is busy with an abandoned call."""
        return len(self._left) >= self._size

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns or raises, in one of the threads. Whoever is cancelled before
        it begins has called it off."""
        future = self.submit(call)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._left.add(future)
            future.add_done_callback(self._left.discard)
            raise

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """What `call` returns, later. It may be called off until it begins."""
        future: Future[T] = Future()
        self._calls.put(partial(copy_context().run, _carry_out, future, call))
        if not self._threads:
            self._start()
        return future

    def close(self) -> None:
        """Let the threads end once they have done what was submitted. The pool may be used
        again, with threads of its own: one that hangs is left behind."""
        if self._threads:
            self._end()
            self._threads, self._calls, self._left = [], queue.SimpleQueue(), set()

    def join(self) -> None:
        """Close, and return when all that was submitted has been done. Blocks."""
        threads = self._threads
        self.close()
        for thread in threads:
            thread.join()

    def _start(self) -> None:
        # Also when it is dropped by whoever used it.
        self._end = weakref.finalize(self, _end, self._calls, self._size)
        for number in range(self._size):
            thread = threading.Thread(
                target=_serve, args=(self._calls,), name=f"{self._name} {number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()


def _end(calls: _Calls, threads: int) -> None:
    for _ in range(threads):
        calls.put(None)


def _serve(calls: _Calls) -> None:
    while (call := calls.get()) is not None:
        call()
        del call


def _carry_out(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as exc:
        future.set_exception(exc)
