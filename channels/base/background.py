"""Work beside the path of messages: background tasks, and the typing indicator."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from gaia.messages import TurnEnded, TurnEvent, TurnStarted
from gaia.ports import Clock

P = ParamSpec("P")
Refusal = TypeVar("Refusal", bound=Exception)

ShowTyping = Callable[[], Awaitable[None]]
"""Shows typing in one chat, for as long as the provider lets it stand."""

logger = logging.getLogger(__name__)


class Background(Generic[Refusal]):
    """Runs tasks that no message depends on, and ends them with the channel.

    An error of the type `refusal`, raised when the provider refuses the work, is only
    logged for debugging: `describe` puts it into one line without secrets.
    """

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
        """Begin `work`, which logs call `what`; cancel the task to end it early."""
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
            logger.debug("%s failed: %s", what, self._describe(exc))
        except Exception:
            logger.exception("%s failed", what)


class TypingIndicator(Generic[Refusal]):
    """Shows typing while a turn runs, again every `seconds`.

    `show_for` gives what shows it for a turn, or None where it cannot be shown.
    """

    def __init__(
        self,
        show_for: Callable[[TurnStarted], ShowTyping | None],
        background: Background[Refusal],
        clock: Clock,
        *,
        seconds: float,
    ) -> None:
        self._show_for = show_for
        self._background = background
        self._clock = clock
        self._seconds = seconds
        self._shown: dict[tuple[str, str], asyncio.Task[None]] = {}

    def watch(self, event: TurnEvent) -> None:
        """Begin when a turn begins, and end when it ends."""
        turn = (event.chat, event.turn_id)
        match event:
            case TurnStarted() if turn not in self._shown:
                show = self._show_for(event)
                if show is not None:
                    task = self._background.start("typing", self._keep_showing, show)
                    self._shown[turn] = task
                    task.add_done_callback(lambda ended: self._forget(turn, ended))
            case TurnEnded() if turn in self._shown:
                self._shown.pop(turn).cancel()

    def _forget(self, turn: tuple[str, str], ended: asyncio.Task[None]) -> None:
        # The turn may have begun again before the task of its first run ended.
        if self._shown.get(turn) is ended:
            del self._shown[turn]

    async def _keep_showing(self, show: ShowTyping) -> None:
        while True:
            await show()
            await self._clock.sleep(self._seconds)
