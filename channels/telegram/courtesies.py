"""What is done at its best effort once something has arrived: a stranger is told so,
the menu is set, a pressed button is confirmed and goes away. None of it holds up
the next update.
"""

from __future__ import annotations

from telegram import BotCommand, BotCommandScopeChat
from telegram.error import TelegramError

from channels.background import Background
from channels.gates import Gates
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import ChatKey
from channels.telegram.events import Pressed
from gaia.messages import Inbound, MenuEntry, Receipt, ReceiptKind


class Courtesies:
    """Does all that in the background."""

    def __init__(self, api: Api, gates: Gates[int], background: Background[TelegramError]) -> None:
        self._api = api
        self._gates = gates
        self._background = background
        self._menus: dict[int, tuple[MenuEntry, ...]] = {}

    def received(self, inbound: Inbound, receipt: Receipt) -> None:
        """A message arrived, and the core took it or did not."""
        key = ChatKey.parse(inbound.chat)
        if key is None or self._gates.remaining(key.chat_id):
            return
        if receipt.kind is ReceiptKind.DENIED:
            if receipt.stranger_reply:
                reply = receipt.stranger_reply
                self._background.start("a reply to a stranger", self._tell, key, reply)
        elif receipt.menu and self._menus.get(key.chat_id) != receipt.menu:
            self._menus[key.chat_id] = receipt.menu
            self._background.start("setting a menu", self._set_menu, key.chat_id, receipt.menu)

    def pressed(self, pressed: Pressed, receipt: Receipt) -> None:
        """A button was pressed, and the core took its command or did not."""
        self.received(pressed.inbound, receipt)
        if receipt.kind is not ReceiptKind.DENIED:
            self._background.start("confirming a button", self._confirm, pressed)
            self._background.start("removing buttons", self._remove_buttons, pressed)

    async def _tell(self, key: ChatKey, text: str) -> None:
        try:
            await self._api.send_message(key.chat_id, text, message_thread_id=key.thread_id)
        except FloodError as exc:
            self._gates.close(key.chat_id, exc.seconds)

    async def _set_menu(self, chat_id: int, menu: tuple[MenuEntry, ...]) -> None:
        commands = [BotCommand(entry.name, entry.description[:256]) for entry in menu[:100]]
        is_set = False
        try:
            is_set = await self._api.set_my_commands(commands, scope=BotCommandScopeChat(chat_id))
        finally:
            if not is_set and self._menus.get(chat_id) == menu:
                del self._menus[chat_id]

    async def _confirm(self, pressed: Pressed) -> None:
        await self._api.answer_callback_query(pressed.callback_id, text=pressed.label or None)

    async def _remove_buttons(self, pressed: Pressed) -> None:
        await self._api.edit_message_reply_markup(
            chat_id=pressed.chat_id, message_id=pressed.message_id, reply_markup=None
        )
