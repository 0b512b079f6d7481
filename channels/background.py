"""Work beside the path of messages: tasks that are watched, and end with the channel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from gaia.ports import Clock

P = ParamSpec("P")
T = TypeVar("T")
Refusal = TypeVar("Refusal", bound=Exception)

logger = logging.getLogger(__name__)


class Background(Generic[Refusal]):
    """Runs what nobody waits for. What the provider refuses of it is no matter: that is
    `refusal`, which `describe` tells in a line without secrets."""

    def __init__(
        self,
        channel: str,
        refusal: type[Refusal] | tuple[type[Refusal], ...],
        describe: Callable[[Refusal], str],
    ) -> None:
        self._channel = channel
        self._refusal = refusal
        self._describe = describe
        self._tasks: set[asyncio.Task[None]] = set()

    def start(
        self, what: str, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Task[None]:
        """Begin `work`, which is called `what` in logs; cancel the task to end it early."""
        # Called within the task: one that is cancelled before it began has made no coroutine.
        running = self._run(what, partial(work, *args, **kwargs))
        task = asyncio.create_task(running, name=f"{self._channel}-{what}", context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End all work."""
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _run(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except self._refusal as exc:
            logger.debug("%s came to nothing: %s", what, self._describe(exc))
        except Exception:
            logger.exception("%s failed", what)


async def within(clock: Clock, seconds: float, work: Coroutine[object, object, T]) -> T:
    """What `work` returns, if it does within `seconds`.

    Raises `TimeoutError` when it does not; it has ended then.
    """
    working = asyncio.create_task(work)
    waiting = asyncio.create_task(clock.sleep(seconds))
    try:
        await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise TimeoutError
        return working.result()
    finally:
        working.cancel()
        waiting.cancel()
        await asyncio.wait((working, waiting))
        if not working.cancelled():
            working.exception()  # Otherwise asyncio complains that nobody looked.
