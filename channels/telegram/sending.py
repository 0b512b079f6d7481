"""Sending one chunk: to its chat and topic, as a reply in groups, with its buttons and file.

What Telegram refuses of the form is left out, one thing after the other: the
formatting when it cannot read it, the topic when that is gone. Everything else
that goes wrong is an error for delivery.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)
from telegram.constants import ParseMode
from telegram.error import BadRequest, ChatMigrated, InvalidToken, TelegramError

from channels.formatting.telegram_html import plain
from channels.gates import Gates
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import ChatKey, message_in, message_name
from channels.telegram.condition import Condition
from channels.telegram.faults import send_error
from channels.telegram.timing import Timing
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    StoreError,
    UnknownSendError,
)
from gaia.messages import Button, Outbound

logger = logging.getLogger(__name__)

BUTTONS_IN_A_ROW = 2
LONGEST_COMMAND_BYTES = 64

Moved = Callable[[str, str], Awaitable[None]]
"""Is told the old and the new id of a chat; `Gateway.moved`."""

FileContent = Callable[[int], Awaitable[bytes | None]]
"""Gives the content of the file that goes with a chunk; `Gateway.file`."""

_UNREADABLE_FORMATTING = "can't parse entities"
_NO_SUCH_TOPIC = ("message thread not found", "topic_closed", "topic_deleted", "topic_id_invalid")


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as Telegram is going to get it."""

    chat: ChatKey
    text: str
    formatted: bool
    reply_to: int | None
    buttons: InlineKeyboardMarkup | None
    document: InputFile | None = None
    """The text stands below it."""

    def simpler(self, refusal: BadRequest) -> Draft | None:
        """The draft without what was refused of its form, or None if it was something else."""
        words = refusal.message.casefold()
        if self.formatted and _UNREADABLE_FORMATTING in words:
            return replace(self, text=plain(self.text), formatted=False)
        if self.chat.thread_id is not None and any(each in words for each in _NO_SUCH_TOPIC):
            return replace(self, chat=ChatKey(self.chat.chat_id))
        return None


def draft(outbound: Outbound) -> Draft:
    """The message for a chunk. Raises `PermanentSendError` if its chat is none of Telegram's."""
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


class Sender:
    """Sends chunks while the channel serves."""

    def __init__(
        self,
        api: Api,
        gates: Gates[int],
        condition: Condition,
        timing: Timing,
        *,
        moved: Moved,
        file: FileContent,
    ) -> None:
        self._api = api
        self._gates = gates
        self._condition = condition
        self._timing = timing
        self._moved = moved
        self._file = file

    async def send(self, outbound: Outbound) -> str:
        """Send a chunk; returns Telegram's name for it. Raises a `SendError` otherwise."""
        message = draft(outbound)
        chat_id = message.chat.chat_id
        remaining = self._gates.remaining(chat_id)
        if remaining:
            raise RetryableSendError("Telegram asked to wait", after_seconds=remaining)
        message = replace(message, document=await self._document(outbound))
        while True:
            try:
                return await self._post(message)
            except TelegramError as exc:
                simpler = message.simpler(exc) if isinstance(exc, BadRequest) else None
                if simpler is None:
                    await self._heed(chat_id, exc)
                    refused = self._timing.refused_token
                    raise send_error(exc, refused_token_seconds=refused) from exc
                left_out = (
                    "its formatting" if message.formatted > simpler.formatted else "its topic"
                )
                logger.warning("a message is sent without %s, which Telegram refuses", left_out)
                message = simpler

    async def _document(self, outbound: Outbound) -> InputFile | None:
        """The file of a chunk, unless it has none any more."""
        if outbound.file is None:
            return None
        try:
            content = await self._file(outbound.outbox_id)
        except StoreError as exc:
            raise RetryableSendError("the file that goes with it cannot be read") from exc
        return None if content is None else InputFile(content, filename=outbound.file.name)

    async def _post(self, message: Draft) -> str:
        try:
            sent = await self._posted(message)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as exc:
            # The library cannot read what Telegram says of the message that it took.
            raise UnknownSendError(f"an odd answer of Telegram: {type(exc).__name__}") from exc
        return message_name(sent.chat.id, sent.message_id)

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
        """What a refusal means beyond the message."""
        match exc:
            case FloodError():
                self._gates.close(chat_id, exc.seconds)
            case InvalidToken():
                self._condition.failed(exc)
            case ChatMigrated():
                await self._move(chat_id, exc.new_chat_id)

    async def _move(self, old_chat_id: int, new_chat_id: int) -> None:
        try:
            await self._moved(str(old_chat_id), str(new_chat_id))
        except StoreError as exc:
            # The next try to send is told the same.
            logger.error("that a chat has another id cannot be stored: %s", exc)
