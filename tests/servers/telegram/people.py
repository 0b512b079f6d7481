"""People on Telegram, who do what a test tells them to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.servers.telegram import contents
from tests.servers.telegram.chats import Chat, Written
from tests.servers.telegram.refusals import Json
from tests.servers.telegram.world import SentMessage, World

if TYPE_CHECKING:
    from tests.servers.telegram.groups import Group


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """Somebody with an account. Where they write: to the bot, or `to` a group.

    Each verb queues the update that the bot gets, and returns what came of it.
    """

    world: World
    user: Json
    chat: Chat
    """Their private chat with the bot."""

    @classmethod
    def on(
        cls,
        world: World,
        user_id: int,
        first_name: str,
        language_code: str | None,
        username: str | None,
    ) -> Person:
        """Bring them to a world. Coming twice is the same person."""
        name = first_name or f"Person{user_id}"
        user: Json = {"id": user_id, "is_bot": False, "first_name": name}
        about: Json = {"id": user_id, "type": "private", "first_name": name}
        if username is not None:
            user["username"] = about["username"] = username
        if language_code is not None:
            user["language_code"] = language_code
        chat = world.chats[user_id] if user_id in world.chats else world.new_chat(about)
        return cls(world, user, chat)

    @property
    def chat_id(self) -> int:
        """Of the private chat, and of the person."""
        return self.chat.chat_id

    def writes(
        self,
        text: str,
        *,
        to: Group | None = None,
        reply_to: Written | None = None,
        thread: int | None = None,
    ) -> Written:
        """Write a text; commands, mentions and links in it are found as Telegram does."""
        return self._post(contents.text(text), to, reply_to, thread)

    def edits(self, written: Written, text: str) -> Written:
        """Change a text or a caption that they wrote before."""
        chat = self.world.chats[written.chat_id]
        changed = contents.text(text)
        if "text" not in written.message:
            changed = contents.captioned({}, text)
        drop = ("text", "entities", "caption", "caption_entities")
        kept = {k: v for k, v in chat.messages[written.message_id].items() if k not in drop}
        message = self.world.edit(chat, {**kept, **changed, "edit_date": self.world.now()})
        self.world.updates.add("edited_message", message)
        return Written(message)

    def sends(
        self,
        content: Json,
        *,
        to: Group | None = None,
        reply_to: Written | None = None,
        thread: int | None = None,
    ) -> Written:
        """Send anything that `contents` makes: a location, a contact, a poll, a dice."""
        return self._post(content, to, reply_to, thread)

    def sends_photo(
        self, data: bytes = contents.PNG, caption: str = "", *, to: Group | None = None
    ) -> Written:
        return self._post(contents.photo(self.world.files, data, caption), to)

    def sends_voice(self, data: bytes = b"OggS", *, to: Group | None = None) -> Written:
        return self._post(contents.voice(self.world.files, data), to)

    def sends_document(
        self,
        data: bytes,
        file_name: str = "notes.txt",
        media_type: str = "text/plain",
        caption: str = "",
        *,
        size: int | None = None,
        to: Group | None = None,
    ) -> Written:
        """Send a document, which claims to have `size` bytes if that is given."""
        content = contents.document(
            self.world.files, data, file_name, media_type, caption, size=size
        )
        return self._post(content, to)

    def sends_album(
        self, photos: Sequence[bytes], caption: str = "", *, to: Group | None = None
    ) -> list[Written]:
        """Send photos at once: a message each, the caption with the first."""
        group_id = str(self.world.next_id())
        captions = itertools.chain([caption], itertools.repeat(""))
        return [
            self._post(
                {**contents.photo(self.world.files, each, said), "media_group_id": group_id}, to
            )
            for each, said in zip(photos, captions, strict=False)
        ]

    def forwards(
        self, written: Written, *, author: str | None = None, to: Group | None = None
    ) -> Written:
        """Forward a message. `author` is the name that somebody with a hidden account shows."""
        return self._post(contents.forwarded(written, hidden_author=author), to)

    def replies(self, written: Written, text: str, *, quote: str = "") -> Written:
        """Answer a message where it stands, quoting a part of it or all."""
        content = contents.text(text)
        if quote:
            position = contents.position_of(quote, written.text)
            content["quote"] = {"text": quote, "position": position, "is_manual": True}
        return self._post_in(self.world.chats[written.chat_id], content, written, written.thread_id)

    def presses(self, sent: SentMessage, label: str) -> str:
        """Press the button of that label, as it is now, and return the id of the query."""
        current = self.world.sent[sent.chat_id, sent.message_id]
        query_id = str(self.world.next_id())
        query: Json = {
            "id": query_id,
            "from": self.user,
            "message": current.message,
            "chat_instance": f"instance-{sent.chat_id}",
            "data": current.buttons[label],
        }
        self.world.queries[query_id] = None
        self.world.updates.add("callback_query", query)
        return query_id

    def blocks(self) -> None:
        """Block the bot."""
        self._changes_bot("kicked")

    def unblocks(self) -> None:
        """Let the bot write again."""
        self._changes_bot("member")

    def _changes_bot(self, status: str) -> None:
        update = contents.bot_status(self.world, self.chat, self.user, status)
        self.chat.bot_status = status
        self.world.updates.add("my_chat_member", update)

    def _post(
        self,
        content: Json,
        to: Group | None,
        reply_to: Written | None = None,
        thread: int | None = None,
    ) -> Written:
        return self._post_in(self.chat if to is None else to.chat, content, reply_to, thread)

    def _post_in(
        self, chat: Chat, content: Json, reply_to: Written | None, thread: int | None
    ) -> Written:
        head: Json = {"from": self.user}
        if thread is not None:
            head["message_thread_id"] = thread
        if reply_to is not None:
            answered = chat.messages[reply_to.message_id]
            head["reply_to_message"] = {
                k: v for k, v in answered.items() if k != "reply_to_message"
            }
        message = self.world.store(chat, {**head, **content})
        self.world.updates.add("message", message)
        return Written(message)
