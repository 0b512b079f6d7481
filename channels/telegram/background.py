"""Work beside the path of messages: tasks that are watched, and end with the channel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from functools import partial
from typing import ParamSpec, TypeVar

from telegram.error import TelegramError

from channels.telegram.faults import describe
from gaia.ports import Clock

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Background:
    """Runs what nobody waits for. What Telegram refuses of it is no matter."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(
        self, what: str, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Task[None]:
        """Begin `work`, which is called `what` in logs; cancel the task to end it early."""
        # Called within the task: one that is cancelled before it began has made no coroutine.
        running = _run(what, partial(work, *args, **kwargs))
        task = asyncio.create_task(running, name=f"telegram-{what}", context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End all work."""
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(set(self._tasks))


async def _run(what: str, work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except TelegramError as exc:
        logger.debug("%s came to nothing: %s", what, describe(exc))
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
