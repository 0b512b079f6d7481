"""Names of chats and messages, as the rest of gaia sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass

CHANNEL = "telegram"

_CHAT = re.compile(r"(-?\d+)(?::(\d+))?")
_MESSAGE = re.compile(r"(-?\d+):(\d+)(?::edit:\d+)?")


@dataclass(frozen=True, slots=True)
class ChatKey:
    """Where a message goes: a chat, or one topic in it."""

    chat_id: int
    thread_id: int | None = None

    def __str__(self) -> str:
        return str(self.chat_id) if self.thread_id is None else f"{self.chat_id}:{self.thread_id}"

    @property
    def is_group(self) -> bool:
        """Telegram gives groups negative ids, and people positive ones."""
        return self.chat_id < 0

    @classmethod
    def parse(cls, text: str) -> ChatKey | None:
        """The key that `str` made, or None for what is none."""
        match = _CHAT.fullmatch(text)
        if match is None:
            return None
        return cls(int(match[1]), int(match[2]) if match[2] else None)


def message_name(chat_id: int, message_id: int) -> str:
    """The `provider_message_id` of a message."""
    return f"{chat_id}:{message_id}"


def edit_name(chat_id: int, message_id: int, update_id: int) -> str:
    """The `provider_message_id` of an edit of a message, which an update told of. The
    time of an edit would not do: two within a second are two."""
    return f"{chat_id}:{message_id}:edit:{update_id}"


def callback_name(callback_id: str) -> str:
    """The `provider_message_id` of a button that was pressed."""
    return f"callback:{callback_id}"


def message_in(name: str, chat_id: int) -> int | None:
    """The id of the message called `name`, if it is one of that chat."""
    match = _MESSAGE.fullmatch(name)
    if match is None or int(match[1]) != chat_id:
        return None
    return int(match[2])
