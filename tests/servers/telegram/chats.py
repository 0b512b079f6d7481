"""The chats that the bot knows: who is in them, what was said, what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.servers.telegram.refusals import Json, bad_request, forbidden, migrated

_KICKED = {
    "private": "bot was blocked by the user",
    "group": "bot was kicked from the group chat",
    "supergroup": "bot was kicked from the supergroup chat",
    "channel": "bot was kicked from the channel chat",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A message that exists in a chat, as the bot sees it."""

    message: Json

    @property
    def message_id(self) -> int:
        return _integer(self.message["message_id"])

    @property
    def chat_id(self) -> int:
        chat = self.message["chat"]
        return _integer(chat["id"] if isinstance(chat, dict) else None)

    @property
    def thread_id(self) -> int | None:
        thread = self.message.get("message_thread_id")
        return thread if isinstance(thread, int) else None

    @property
    def text(self) -> str:
        """The text, or the caption of a file."""
        return str(self.message.get("text") or self.message.get("caption") or "")


class Chat:
    """One chat. Its messages are the last state of each."""

    def __init__(self, about: Json, message_ids: Iterator[int]) -> None:
        self.about = about
        self.bot_status = "member"
        """member, or kicked: by a person who blocks the bot, or from a group."""
        self.members: dict[int, Json] = {}
        self.admins: set[int] = set()
        self.messages: dict[int, Json] = {}
        self.topics: dict[int, str] = {}
        self.migrated_to: int | None = None
        self._message_ids = message_ids

    @property
    def chat_id(self) -> int:
        return _integer(self.about["id"])

    @property
    def kind(self) -> str:
        """private, group, supergroup or channel."""
        return str(self.about["type"])

    @property
    def is_forum(self) -> bool:
        return self.about.get("is_forum") is True

    def next_message_id(self) -> int:
        return next(self._message_ids)

    def require_open(self) -> None:
        """Raise the `ApiRefusal` that whoever sends to this chat gets, if any."""
        if self.migrated_to is not None:
            raise migrated(self.migrated_to)
        if self.bot_status == "kicked":
            raise forbidden(_KICKED[self.kind])

    def require_thread(self, thread_id: int) -> None:
        """Raise the `ApiRefusal` for a topic that is not in this chat."""
        if thread_id not in self.topics:
            raise bad_request("message thread not found")


class Chats:
    """All chats, by id."""

    def __init__(self) -> None:
        self._chats: dict[int, Chat] = {}

    def __getitem__(self, chat_id: int) -> Chat:
        return self._chats[chat_id]

    def __iter__(self) -> Iterator[Chat]:
        return iter(self._chats.values())

    def __contains__(self, chat_id: int) -> bool:
        return chat_id in self._chats

    def add(self, chat: Chat) -> Chat:
        self._chats[chat.chat_id] = chat
        return chat

    def found(self, parameters: Mapping[str, object]) -> Chat:
        """The chat that a request names by id or @username. Raises `ApiRefusal`."""
        named = parameters.get("chat_id")
        for chat in self._chats.values():
            username = chat.about.get("username")
            if named == chat.chat_id or (username and named == f"@{username}"):
                return chat
        raise bad_request("chat_id is empty" if named in (None, "") else "chat not found")


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no integer")
    return value
