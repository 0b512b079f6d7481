"""That somebody sees gaia typing while a turn runs in their chat: when it is shown, not how."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic

from channels.background import Background, Refusal
from gaia.messages import TurnEnded, TurnEvent, TurnStarted
from gaia.ports import Clock

Show = Callable[[], Awaitable[None]]
"""Shows typing in one chat, for as long as the provider lets it stand."""

ShowFor = Callable[[TurnStarted], Show | None]
"""How typing is shown for a turn; None where it cannot be."""


class TypingIndicator(Generic[Refusal]):
    """Shows typing for each turn that runs, anew every so many seconds."""

    def __init__(
        self, show_for: ShowFor, background: Background[Refusal], clock: Clock, *, seconds: float
    ) -> None:
        self._show_for = show_for
        self._background = background
        self._clock = clock
        self._seconds = seconds
        self._shown: dict[tuple[str, str], asyncio.Task[None]] = {}

    def watch(self, event: TurnEvent) -> None:
        """Begin with a turn, and end with it."""
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
        # The turn may have begun anew before the task of its first run came to its end.
        if self._shown.get(turn) is ended:
            del self._shown[turn]

    async def _keep_showing(self, show: Show) -> None:
        while True:
            await show()
            await self._clock.sleep(self._seconds)
