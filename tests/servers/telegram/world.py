"""All that the server knows: the bot, its chats, updates and files, and what it did."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from gaia.ports import Clock
from tests.servers.changes import Changes
from tests.servers.telegram.chats import Chat, Chats, Written
from tests.servers.telegram.checks import Checker
from tests.servers.telegram.files import Files
from tests.servers.telegram.refusals import Json
from tests.servers.telegram.table import load_bot_api
from tests.servers.telegram.updates import UpdateQueue
from tests.servers.telegram.webhook import Webhook

BOT_USERNAME = "gaia_test_bot"


@dataclass(frozen=True, slots=True)
class SentMessage(Written):
    """A message of the bot. `parameters` are those of the request that sent it.

    `acknowledged` says that the client was answered that it was sent, by an answer
    that left this server while the client listened; `edits` how often it was edited.
    """

    parameters: Mapping[str, JsonValue]
    acknowledged: bool = False
    edits: int = 0

    @property
    def html(self) -> str:
        """The text as the client marked it up, empty when it sent none in HTML."""
        if self.parameters.get("parse_mode") != "HTML":
            return ""
        return str(self.parameters.get("text") or self.parameters.get("caption") or "")

    @property
    def entities(self) -> list[Json]:
        """The entities of the text or the caption."""
        return _objects(self.message.get("entities") or self.message.get("caption_entities"))

    @property
    def reply_to(self) -> int | None:
        """The id of the message that it answers."""
        answered = self.message.get("reply_to_message")
        return Written(answered).message_id if isinstance(answered, dict) else None

    @property
    def document(self) -> Json | None:
        """The description of the file that it is, if it is one."""
        document = self.message.get("document")
        return document if isinstance(document, dict) else None

    @property
    def buttons(self) -> dict[str, str]:
        """The data of each inline button, by its label."""
        markup = self.message.get("reply_markup")
        rows = markup.get("inline_keyboard") if isinstance(markup, dict) else None
        buttons = [each for row in rows for each in _objects(row)] if isinstance(rows, list) else []
        return {str(each["text"]): str(each.get("callback_data", "")) for each in buttons}


class World:
    """The state of the server. Everything here is plain and changes at once."""

    def __init__(self, clock: Clock, bot_id: int) -> None:
        self.api = load_bot_api()
        self.checker = Checker(self.api)
        self.changes = Changes()
        self.updates = UpdateQueue(self.changes, self.checker)
        self.chats = Chats()
        self.files = Files()
        self.bot: Json = {
            "id": bot_id,
            "is_bot": True,
            "first_name": "gaia",
            "username": BOT_USERNAME,
        }
        self.sent: dict[tuple[int, int], SentMessage] = {}
        self.actions: Counter[tuple[int, str]] = Counter()
        self.commands: dict[str, list[Json]] = {}
        self.queries: dict[str, Json | None] = {}
        """Pressed buttons by id, with the parameters of the answer once there is one."""
        self.webhook = Webhook()
        self._clock = clock
        self._ids = itertools.count(1)
        self._private_ids = itertools.count(1)

    def now(self) -> int:
        """Unix time."""
        return int(self._clock.now().timestamp())

    def next_id(self) -> int:
        """A number that was never given before."""
        return next(self._ids)

    def new_chat(self, about: Json) -> Chat:
        """Open a chat. Message ids are one sequence for private chats and groups, and
        one of its own for each supergroup and channel."""
        own = about["type"] in ("supergroup", "channel")
        return self.chats.add(Chat(about, itertools.count(1) if own else self._private_ids))

    def store(self, chat: Chat, content: Json) -> Json:
        """Put a message into a chat, from whomever `content` says."""
        message: Json = {
            "message_id": chat.next_message_id(),
            "chat": chat.about,
            "date": self.now(),
            **content,
        }
        thread = message.get("message_thread_id")
        if isinstance(thread, int) and thread in chat.topics:
            message["is_topic_message"] = True
        self.checker.require(message, ["Message"], what="message")
        chat.messages[Written(message).message_id] = message
        self.changes.tell()
        return message

    def send(self, chat: Chat, content: Json, parameters: Mapping[str, JsonValue]) -> Json:
        """Put a message of the bot into a chat."""
        if chat.kind == "channel":
            content = {"sender_chat": chat.about, **content}
        else:
            content = {"from": self.bot, **content}
        message = self.store(chat, content)
        sent = SentMessage(message, parameters)
        self.sent[sent.chat_id, sent.message_id] = sent
        self.changes.tell()
        return message

    def edit(self, chat: Chat, message: Json) -> Json:
        """Replace a message by a newer state of itself."""
        self.checker.require(message, ["Message"], what="message")
        written = Written(message)
        chat.messages[written.message_id] = message
        key = (written.chat_id, written.message_id)
        if key in self.sent:
            sent = self.sent[key]
            self.sent[key] = dataclasses.replace(sent, message=message, edits=sent.edits + 1)
        self.changes.tell()
        return message

    def acknowledge(self, result: JsonValue) -> None:
        """Note that the client was told of a message, if `result` is one of the bot's."""
        if not isinstance(result, dict) or "message_id" not in result:
            return
        written = Written(result)
        key = (written.chat_id, written.message_id)
        if key in self.sent:
            self.sent[key] = dataclasses.replace(self.sent[key], acknowledged=True)
            self.changes.tell()


def _objects(value: JsonValue) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
