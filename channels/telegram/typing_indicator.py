"""That somebody sees gaia typing while a turn runs in their chat, and not after."""

from __future__ import annotations

import asyncio

from telegram.constants import ChatAction
from telegram.error import BadRequest, NetworkError, TelegramError

from channels.background import Background
from channels.gates import Gates
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import ChatKey
from channels.telegram.timing import Timing
from gaia.messages import TurnEnded, TurnEvent, TurnStarted
from gaia.ports import Clock


class TypingIndicator:
    """Shows typing for each turn that runs."""

    def __init__(
        self,
        api: Api,
        gates: Gates[int],
        background: Background[TelegramError],
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._api = api
        self._gates = gates
        self._background = background
        self._clock = clock
        self._timing = timing
        self._shown: dict[tuple[str, str], asyncio.Task[None]] = {}

    def watch(self, event: TurnEvent) -> None:
        """Begin with a turn, and end with it."""
        turn = (event.chat, event.turn_id)
        match event:
            case TurnStarted() if turn not in self._shown:
                key = ChatKey.parse(event.chat)
                if key is not None:
                    task = self._background.start("typing", self._show, key)
                    self._shown[turn] = task
                    task.add_done_callback(lambda ended: self._forget(turn, ended))
            case TurnEnded() if turn in self._shown:
                self._shown.pop(turn).cancel()

    def _forget(self, turn: tuple[str, str], ended: asyncio.Task[None]) -> None:
        # The turn may have begun anew before the task of its first run came to its end.
        if self._shown.get(turn) is ended:
            del self._shown[turn]

    async def _show(self, key: ChatKey) -> None:
        while True:
            if not self._gates.remaining(key.chat_id):
                await self._type(key)
            await self._clock.sleep(self._timing.typing)

    async def _type(self, key: ChatKey) -> None:
        try:
            await self._api.send_chat_action(
                key.chat_id, ChatAction.TYPING, message_thread_id=key.thread_id
            )
        except FloodError as exc:
            self._gates.close(key.chat_id, exc.seconds)
        except NetworkError as exc:
            if isinstance(exc, BadRequest):
                raise
