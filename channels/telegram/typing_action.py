"""How typing is shown on Telegram: for five seconds, in a chat or a topic."""

from __future__ import annotations

from functools import partial

from telegram.constants import ChatAction
from telegram.error import BadRequest, NetworkError

from channels.gates import Gates
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import ChatKey
from channels.typing_indicator import Show
from gaia.messages import TurnStarted


class TypingAction:
    """Shows typing, except in a chat that Telegram wants to be left alone."""

    def __init__(self, api: Api, gates: Gates[int]) -> None:
        self._api = api
        self._gates = gates

    def show_for(self, turn: TurnStarted) -> Show | None:
        """How to show it for a turn; None for a chat that is none of Telegram's."""
        key = ChatKey.parse(turn.chat)
        return None if key is None else partial(self._show, key)

    async def _show(self, key: ChatKey) -> None:
        if self._gates.remaining(key.chat_id):
            return
        try:
            await self._api.send_chat_action(
                key.chat_id, ChatAction.TYPING, message_thread_id=key.thread_id
            )
        except FloodError as exc:
            self._gates.close(key.chat_id, exc.seconds)
        except NetworkError as exc:
            if isinstance(exc, BadRequest):
                raise
