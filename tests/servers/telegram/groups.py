"""Groups and channels: chats of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.servers.telegram import contents
from tests.servers.telegram.chats import Chat, Written
from tests.servers.telegram.refusals import Json
from tests.servers.telegram.world import World

if TYPE_CHECKING:
    from tests.servers.telegram.people import Person


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A group, or a supergroup with or without topics. The bot hears all that is said."""

    world: World
    chat: Chat

    @classmethod
    def on(
        cls, world: World, chat_id: int, title: str, is_supergroup: bool, is_forum: bool
    ) -> Group:
        """Found it, silently: the bot gets no update."""
        kind = "supergroup" if is_supergroup else "group"
        about: Json = {"id": chat_id, "type": kind, "title": title}
        if is_forum:
            about["is_forum"] = True
        return cls(world, world.new_chat(about))

    @property
    def chat_id(self) -> int:
        return self.chat.chat_id

    def admit(self, person: Person) -> None:
        """Have somebody as a member, silently."""
        self.chat.members[person.chat_id] = person.user

    def promote(self, person: Person) -> None:
        """Have a member run the group."""
        self.chat.admins.add(person.chat_id)

    def welcomes(self, person: Person) -> Written:
        """Let somebody join: the group reads that they came."""
        self.admit(person)
        return _service(self, person, {"new_chat_members": [person.user]})

    def loses(self, person: Person) -> Written:
        """Let somebody leave."""
        del self.chat.members[person.chat_id]
        return _service(self, person, {"left_chat_member": person.user})

    def invites_bot(self, by: Person) -> Written:
        """Let the bot in, which it was not or no more."""
        self._changes_bot(by, "member")
        return _service(self, by, {"new_chat_members": [self.world.bot]})

    def expels_bot(self, by: Person) -> None:
        """Throw the bot out."""
        self._changes_bot(by, "kicked")

    def _changes_bot(self, by: Person, status: str) -> None:
        update = contents.bot_status(self.world, self.chat, by.user, status)
        self.chat.bot_status = status
        self.world.updates.add("my_chat_member", update)

    def opens_topic(self, by: Person, name: str) -> int:
        """Begin a topic, and return its id, which is that of its first message."""
        if not self.chat.is_forum:
            raise ValueError(f"{self.chat.about['title']!r} is no forum: give is_forum=True")
        created: Json = {"name": name, "icon_color": 0x6FB9F0}
        opened = self.world.store(self.chat, {"from": by.user, "forum_topic_created": created})
        thread_id = Written(opened).message_id
        self.chat.topics[thread_id] = name
        message = {**opened, "message_thread_id": thread_id, "is_topic_message": True}
        self.world.edit(self.chat, message)
        self.world.updates.add("message", message)
        return thread_id

    def discusses(self, post: Written) -> Written:
        """Have a post of the channel that it is linked to, as Telegram forwards it by itself.
        What replies to it is a comment on it: `thread` is its id."""
        content = contents.forwarded_by_telegram(post)
        message = self.world.store(self.chat, content)
        self.world.updates.add("message", message)
        return Written(message)

    def says(self, text: str, *, title: str = "") -> Written:
        """Have an admin who writes anonymously say something, in the name of the group."""
        head: Json = {"from": contents.ANONYMOUS_ADMIN, "sender_chat": self.chat.about}
        if title:
            head["author_signature"] = title
        message = self.world.store(self.chat, {**head, **contents.text(text)})
        self.world.updates.add("message", message)
        return Written(message)

    def becomes_supergroup(self, chat_id: int, by: Person) -> Group:
        """Become a supergroup of another id. Both chats read it; the old one is closed."""
        upgraded = Group.on(self.world, chat_id, str(self.chat.about["title"]), True, False)
        upgraded.chat.members.update(self.chat.members)
        _service(self, by, {"migrate_to_chat_id": chat_id})
        self.chat.migrated_to = chat_id
        _service(upgraded, by, {"migrate_from_chat_id": self.chat_id})
        return upgraded


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel, which speaks with one voice."""

    world: World
    chat: Chat

    @classmethod
    def on(cls, world: World, chat_id: int, title: str) -> Channel:
        """Found it, silently."""
        return cls(world, world.new_chat({"id": chat_id, "type": "channel", "title": title}))

    @property
    def chat_id(self) -> int:
        return self.chat.chat_id

    def posts(self, text: str) -> Written:
        """Publish a text."""
        content: Json = {"sender_chat": self.chat.about, **contents.text(text)}
        message = self.world.store(self.chat, content)
        self.world.updates.add("channel_post", message)
        return Written(message)

    def edits(self, post: Written, text: str) -> Written:
        """Change a post."""
        kept = {k: v for k, v in post.message.items() if k != "entities"}
        changed: Json = {**kept, **contents.text(text), "edit_date": self.world.now()}
        message = self.world.edit(self.chat, changed)
        self.world.updates.add("edited_channel_post", message)
        return Written(message)


def _service(group: Group, by: Person, content: Json) -> Written:
    message = group.world.store(group.chat, {"from": by.user, **content})
    group.world.updates.add("message", message)
    return Written(message)
