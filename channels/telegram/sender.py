"""What gaia sends: the chunks of replies, and beside them typing, menus and confirmations.

What Telegram refuses of the form of a chunk is left out, one thing after the other: the
formatting when it cannot read it, what it replies to when that is gone, the topic when that is
gone or closed, the file where the group takes none. A refusal is for what it names: of some
things Telegram's wordings are many. Everything else that goes wrong is an error for delivery.
What stands beside the chunks holds up nothing, and may fail.

Below a post of a channel, in its discussion group, stands what replies to it, or to such a reply:
so each chunk after the first replies to the one before.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from telegram import (
    BotCommand,
    BotCommandScopeChat,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)
from telegram.constants import ChatAction, ParseMode
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
)

from channels.base.background import Background, ShowTyping
from channels.base.http import ChatBackoff
from channels.formatting.telegram_html import MOST_UNITS, spelled_out
from channels.telegram.api import Api, FloodError, TelegramCondition, Timing, send_error
from channels.telegram.events import ChatKey, Pressed, message_in, message_name
from channels.telegram.words import Me
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    StoreError,
    UnknownSendError,
)
from gaia.lru import LruCache
from gaia.messages import (
    Button,
    Inbound,
    MenuEntry,
    Outbound,
    Receipt,
    ReceiptKind,
    TurnStarted,
)
from gaia.ports import Gateway

logger = logging.getLogger(__name__)

BUTTONS_IN_A_ROW = 2
LONGEST_COMMAND_BYTES = 64

LONGEST_CAPTION = 1024

NO_FILES = (
    "(I may not send files in this chat, so the one that belongs here is left out. Ask me again "
    "once an admin has allowed them.)"
)
"""Stands below the text of a chunk that was to have a file."""

_ABOUT_FORMATTING = re.compile("entit")
_ABOUT_REPLY = re.compile("repl(y|ied)(?!.?(keyboard|markup))")
"""Telegram names it of a reply to a deleted message. In a forum it may do so even of a message
that is allowed to go without the reply."""
_ABOUT_TOPIC = re.compile("topic|thread")
_ABOUT_FILE = re.compile("rights to send (?!a message|text )|chat_send_(?!plain_)[a-z]+_forbidden")
"""Telegram names the right that is missing. What it says of a file itself is no matter of the
chat."""

_MOST_THREADS = 500
_Reply = tuple[ChatKey, str]
"""A chat, and the turn that is answered there."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as it is sent to Telegram."""

    chat: ChatKey
    text: str
    formatted: bool
    reply_to: int | None
    buttons: InlineKeyboardMarkup | None
    document: InputFile | None = None
    """The text stands below it."""

    def simpler(self, refusal: TelegramError) -> tuple[str, Draft] | None:
        """Return what was refused of its form and the draft without that, or None if it was
        something else."""
        if not isinstance(refusal, BadRequest | Forbidden):
            return None
        said = refusal.message.casefold()
        if self.formatted and _ABOUT_FORMATTING.search(said):
            longest = MOST_UNITS if self.document is None else LONGEST_CAPTION
            text = spelled_out(self.text, longest)
            return "its formatting", replace(self, text=text, formatted=False)
        if self.reply_to is not None and _ABOUT_REPLY.search(said):
            return "what it replies to", replace(self, reply_to=None)
        if self.document is not None and _ABOUT_FILE.search(said):
            return "its file", replace(self, text=f"{self.text}\n\n{NO_FILES}", document=None)
        is_in_topic = self.chat.thread_id is not None or self.reply_to is not None
        if is_in_topic and _ABOUT_TOPIC.search(said):
            # A reply would go to the topic of what it replies to.
            return "its topic", replace(self, chat=ChatKey(self.chat.chat_id), reply_to=None)
        return None


def draft(outbound: Outbound) -> Draft:
    """Make the message for a chunk. Raises `PermanentSendError` if its chat is none of
    Telegram's."""
    chat = ChatKey.parse(outbound.chat)
    if chat is None:
        raise PermanentSendError(f"{outbound.chat!r} is no chat of Telegram's")
    reply_to = None
    if chat.is_group and outbound.seq == 0:
        answered = (message_in(name, chat.chat_id) for name in reversed(outbound.in_reply_to))
        reply_to = next((each for each in answered if each is not None), None)
    return Draft(chat, outbound.marked_text, True, reply_to, _keyboard(outbound.buttons))


def _keyboard(buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
    keys = []
    for button in buttons:
        if len(button.command.encode()) <= LONGEST_COMMAND_BYTES:
            keys.append(InlineKeyboardButton(button.label, callback_data=button.command))
        else:
            logger.error("a button is left out: its command is too long for Telegram")
    rows = [keys[i : i + BUTTONS_IN_A_ROW] for i in range(0, len(keys), BUTTONS_IN_A_ROW)]
    return InlineKeyboardMarkup(rows) if rows else None


def _is_comment(sent: Message) -> bool:
    """Whether a message stands in a thread of replies, as comments do, and not in a topic."""
    replied = sent.reply_to_message
    is_in_thread = replied is not None and replied.message_thread_id is not None
    return is_in_thread and not sent.is_topic_message


class Sender:
    """Sends chunks while the channel serves."""

    def __init__(
        self,
        api: Api,
        backoff: ChatBackoff[int],
        condition: TelegramCondition,
        timing: Timing,
        gateway: Gateway,
    ) -> None:
        self._api = api
        self._backoff = backoff
        self._condition = condition
        self._timing = timing
        self._gateway = gateway
        self._threads = LruCache[_Reply, int](_MOST_THREADS)
        """The last chunk of each reply that stands among the comments on a post."""

    async def send(self, outbound: Outbound) -> str:
        """Send a chunk; returns Telegram's name for it. Raises a `SendError` otherwise."""
        message = draft(outbound)
        if outbound.seq and outbound.turn_id is not None:
            message = replace(message, reply_to=self._threads.get((message.chat, outbound.turn_id)))
        chat_id = message.chat.chat_id
        remaining = self._backoff.remaining(chat_id)
        if remaining:
            raise RetryableSendError("Telegram asked to wait", after_seconds=remaining)
        message = replace(message, document=await self._document(outbound))
        while True:
            try:
                sent = await self._post(message)
            except TelegramError as exc:
                simpler = message.simpler(exc)
                if simpler is None:
                    await self._heed(chat_id, exc)
                    refused = self._timing.refused_token
                    raise send_error(exc, refused_token_seconds=refused) from exc
                left_out, message = simpler
                logger.warning("a message is sent without %s, which Telegram refuses", left_out)
            else:
                if outbound.turn_id is not None and _is_comment(sent):
                    self._threads.put((message.chat, outbound.turn_id), sent.message_id)
                return message_name(sent.chat.id, sent.message_id)

    async def _document(self, outbound: Outbound) -> InputFile | None:
        """Return the file of a chunk; None if it has none any more."""
        if outbound.file is None:
            return None
        try:
            content = await self._gateway.file(outbound.outbox_id)
        except StoreError as exc:
            raise RetryableSendError("the file that goes with it cannot be read") from exc
        return None if content is None else InputFile(content, filename=outbound.file.name)

    async def _post(self, message: Draft) -> Message:
        try:
            return await self._posted(message)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as exc:
            # The library cannot read what Telegram says of the message that it took.
            raise UnknownSendError(f"an odd answer of Telegram: {type(exc).__name__}") from exc

    async def _posted(self, message: Draft) -> Message:
        reply = None
        if message.reply_to is not None:
            reply = ReplyParameters(message.reply_to, allow_sending_without_reply=True)
        parse_mode = ParseMode.HTML if message.formatted else None
        if message.document is not None:
            return await self._api.send_document(
                message.chat.chat_id,
                message.document,
                caption=message.text,
                parse_mode=parse_mode,
                message_thread_id=message.chat.thread_id,
                reply_parameters=reply,
                reply_markup=message.buttons,
            )
        return await self._api.send_message(
            message.chat.chat_id,
            message.text,
            parse_mode=parse_mode,
            link_preview_options=LinkPreviewOptions(is_disabled=True),
            message_thread_id=message.chat.thread_id,
            reply_parameters=reply,
            reply_markup=message.buttons,
        )

    async def _heed(self, chat_id: int, exc: TelegramError) -> None:
        """Note what a refusal means beyond the message."""
        match exc:
            case FloodError():
                self._backoff.hold(chat_id, exc.seconds)
            case InvalidToken():
                self._condition.failed(exc)
            case ChatMigrated():
                await self._move(chat_id, exc.new_chat_id)

    async def _move(self, old_chat_id: int, new_chat_id: int) -> None:
        try:
            await self._gateway.moved(str(old_chat_id), str(new_chat_id))
        except StoreError as exc:
            # The next try to send is told the same.
            logger.error("that a chat has another id cannot be stored: %s", exc)


class SideEffects:
    """Tells a stranger how to be let in, sets the menu, confirms and removes a pressed button, and
    asks for the bot's name, in the background: none of it holds up the next update."""

    def __init__(
        self, api: Api, backoff: ChatBackoff[int], background: Background[TelegramError]
    ) -> None:
        self._api = api
        self._backoff = backoff
        self._background = background
        self._menus: dict[int, tuple[MenuEntry, ...]] = {}

    def received(self, inbound: Inbound, receipt: Receipt) -> None:
        """Follow a message that arrived, and that the core took or did not."""
        key = ChatKey.parse(inbound.chat)
        if key is None or self._backoff.remaining(key.chat_id):
            return
        if receipt.kind is ReceiptKind.DENIED:
            if receipt.stranger_reply:
                reply = receipt.stranger_reply
                self._background.start("a reply to a stranger", self._tell, key, reply)
        elif receipt.menu and self._menus.get(key.chat_id) != receipt.menu:
            self._menus[key.chat_id] = receipt.menu
            self._background.start("setting a menu", self._set_menu, key.chat_id, receipt.menu)

    def pressed(self, pressed: Pressed, receipt: Receipt) -> None:
        """Follow a button that was pressed, and whose command the core took or did not."""
        self.received(pressed.inbound, receipt)
        if receipt.kind is not ReceiptKind.DENIED:
            self._background.start("confirming a button", self._confirm, pressed)
            self._background.start("removing buttons", self._remove_buttons, pressed)

    def identify(self, tell: Callable[[Me], None]) -> None:
        """Ask who the bot is, and tell it."""
        self._background.start("asking for the bot's name", self._identify, tell)

    async def _identify(self, tell: Callable[[Me], None]) -> None:
        bot = await self._api.get_me()
        tell(Me(bot.id, bot.username or ""))

    async def _tell(self, key: ChatKey, text: str) -> None:
        try:
            await self._api.send_message(key.chat_id, text, message_thread_id=key.thread_id)
        except FloodError as exc:
            self._backoff.hold(key.chat_id, exc.seconds)

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


class TypingAction:
    """Shows typing in a chat or a topic for five seconds, except in a chat that Telegram
    wants to be left alone."""

    def __init__(self, api: Api, backoff: ChatBackoff[int]) -> None:
        self._api = api
        self._backoff = backoff

    def show_for(self, turn: TurnStarted) -> ShowTyping | None:
        """Return what shows typing for a turn; None for a chat that is none of Telegram's."""
        key = ChatKey.parse(turn.chat)
        return None if key is None else partial(self._show, key)

    async def _show(self, key: ChatKey) -> None:
        if self._backoff.remaining(key.chat_id):
            return
        try:
            await self._api.send_chat_action(
                key.chat_id, ChatAction.TYPING, message_thread_id=key.thread_id
            )
        except FloodError as exc:
            self._backoff.hold(key.chat_id, exc.seconds)
        except NetworkError as exc:
            if isinstance(exc, BadRequest):
                raise
