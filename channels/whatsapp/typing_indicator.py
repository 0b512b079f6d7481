"""That somebody sees gaia typing while a turn runs in their chat.

WhatsApp shows it for 25 seconds, or until a message comes, and only as part of the
answer to a message of theirs, which it marks as read.
"""

from __future__ import annotations

import asyncio

from channels.background import Background
from channels.gates import Gates
from channels.whatsapp.api import Api
from channels.whatsapp.faults import REFUSALS, Refusal, code_of
from channels.whatsapp.http import FloodError
from channels.whatsapp.names import is_sid
from channels.whatsapp.timing import Timing
from gaia.messages import TurnEnded, TurnEvent, TurnStarted
from gaia.ports import Clock


class TypingIndicator:
    """Shows typing for each turn that runs."""

    def __init__(
        self,
        api: Api,
        gates: Gates[str],
        background: Background[Refusal],
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
            case TurnStarted(chat=chat, in_reply_to=answered) if turn not in self._shown:
                message_sid = next(filter(is_sid, reversed(answered)), None)
                if message_sid is not None:
                    task = self._background.start("typing", self._show, chat, message_sid)
                    self._shown[turn] = task
                    task.add_done_callback(lambda ended: self._forget(turn, ended))
            case TurnEnded() if turn in self._shown:
                self._shown.pop(turn).cancel()

    def _forget(self, turn: tuple[str, str], ended: asyncio.Task[None]) -> None:
        # The turn may have begun anew before the task of its first run came to its end.
        if self._shown.get(turn) is ended:
            del self._shown[turn]

    async def _show(self, chat: str, message_sid: str) -> None:
        while True:
            if not self._gates.remaining(chat):
                await self._type(chat, message_sid)
            await self._clock.sleep(self._timing.typing)

    async def _type(self, chat: str, message_sid: str) -> None:
        try:
            await self._api.show_typing(message_sid)
        except FloodError as exc:
            self._gates.close(chat, exc.seconds)
        except REFUSALS as exc:
            if code_of(exc) is not None:
                raise  # Twilio's verdict is the same the next time.
