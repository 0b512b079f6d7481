"""How typing is shown on WhatsApp: for 25 seconds, or until a message comes, and only as
part of the answer to a message of theirs, which it marks as read.
"""

from __future__ import annotations

from functools import partial

from channels.gates import Gates
from channels.typing_indicator import Show
from channels.whatsapp.api import Api
from channels.whatsapp.faults import REFUSALS, code_of
from channels.whatsapp.http import FloodError
from channels.whatsapp.names import is_sid
from gaia.messages import TurnStarted


class TypingRequest:
    """Shows typing, except in a chat that Twilio wants to be left alone."""

    def __init__(self, api: Api, gates: Gates[str]) -> None:
        self._api = api
        self._gates = gates

    def show_for(self, turn: TurnStarted) -> Show | None:
        """How to show it for a turn; None for one that answers no message of theirs."""
        message_sid = next(filter(is_sid, reversed(turn.in_reply_to)), None)
        return None if message_sid is None else partial(self._show, turn.chat, message_sid)

    async def _show(self, chat: str, message_sid: str) -> None:
        if self._gates.remaining(chat):
            return
        try:
            await self._api.show_typing(message_sid)
        except FloodError as exc:
            self._gates.close(chat, exc.seconds)
        except REFUSALS as exc:
            if code_of(exc) is not None:
                raise  # Twilio's verdict is the same the next time.
