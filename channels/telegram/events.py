"""What an update tells, in gaia's terms: events, and the names of chats and messages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gaia.messages import Inbound

CHANNEL = "telegram"
_CHAT = re.compile(r"(-?\d+)(?::(\d+))?")
_MESSAGE = re.compile(r"(-?\d+):(\d+)(?::edit:\d+)?")


@dataclass(frozen=True, slots=True)
class Written:
    """Somebody wrote to the bot."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Overheard:
    """What was said in a group, not to the bot, and may be a part of what was: of an album, or
    of a text that an app cut. A command that names no bot may be another one's."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Pressed:
    """Somebody pressed a button below a message of the bot, which is writing its command."""

    inbound: Inbound
    callback_id: str
    chat_id: int
    message_id: int
    label: str


@dataclass(frozen=True, slots=True)
class Migrated:
    """A group became a supergroup, with another id."""

    old_chat: str
    new_chat: str


@dataclass(frozen=True, slots=True)
class Unblocked:
    """Somebody lets the bot write to them again."""

    chat: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing happened that gaia has to know."""

    reason: str


Event = Written | Overheard | Pressed | Migrated | Unblocked | Ignored


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
        """Read the key that `str` made; None for any other text."""
        match = _CHAT.fullmatch(text)
        if match is None:
            return None
        return cls(int(match[1]), int(match[2]) if match[2] else None)


def message_name(chat_id: int, message_id: int) -> str:
    """Return the `provider_message_id` of a message."""
    return f"{chat_id}:{message_id}"


def edit_name(chat_id: int, message_id: int, update_id: int) -> str:
    """Return the `provider_message_id` of an edit of a message, which an update told of. The
    time of an edit would not do: two within a second are two."""
    return f"{chat_id}:{message_id}:edit:{update_id}"


def callback_name(callback_id: str) -> str:
    """Return the `provider_message_id` of a button that was pressed."""
    return f"callback:{callback_id}"


def message_in(name: str, chat_id: int) -> int | None:
    """Return the id of the message called `name`, if it is one of that chat."""
    match = _MESSAGE.fullmatch(name)
    if match is None or int(match[1]) != chat_id:
        return None
    return int(match[2])
