"""The registry of slash commands: their names, who may give them, what they do."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from sqlalchemy.orm import Session

from gaia.core.slash import Caller, Prepared, Reply, Slash
from gaia.memory.contexts import visible
from gaia.messages import MenuEntry
from gaia.ports import Clock
from gaia.store.conversations import Conversation
from gaia.store.people.users import Role, User

HOW_TO_TALK = "Just write to me. These are my commands."
HOW_TO_TALK_HERE = (
    "Mention me, or reply to a message of mine. These are my commands in a group; what I "
    "remember here belongs to all of you."
)

RANKS = {Role.GUEST: 0, Role.MEMBER: 1, Role.OWNER: 2}


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command: who gave it, the words after it, and the transaction it runs in."""

    caller: Caller
    words: str
    session: Session
    now: datetime

    @property
    def user(self) -> User:
        """Who gave it; in a group, the group."""
        return self.caller.user

    @property
    def user_id(self) -> str:
        """Whose memory it is about."""
        return self.caller.user.user_id

    @property
    def conversation(self) -> Conversation:
        """Where it was given."""
        return self.caller.conversation

    @property
    def seen(self) -> Collection[str]:
        """The contexts whose memories are seen there."""
        return visible(self.caller.conversation.context)

    @property
    def whose(self) -> str:
        """Whose memory it is about, before a noun: in a group it is the group's."""
        return "your" if self.caller.conversation.direct else "this group's"

    @property
    def said_at(self) -> datetime:
        """When the words were written, by which `tomorrow` counts."""
        return min(self.caller.sent_at, self.now)


Run = Callable[[Call], str | Reply]
"""What a command does and answers, in its transaction."""

Prepare = Callable[[Caller, str], Awaitable[Run]]
"""From who gives a command and the words after it to what is run in the transaction.
Here a command searches: it may take its time, and writes nothing."""


class Topic(StrEnum):
    """What a command is about, as a heading of `/help`, in the order of its list."""

    CONVERSATION = "Our conversation"
    MEMORY = "What I remember"
    REMINDERS = "Reminders"
    OTHERS = "Other people"
    YOU = "You and me"
    OWNERS = "For owners"


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `role` is the lowest that may give it; in groups nobody may give
    what only owners may, nor what is `private`."""

    name: str
    description: str
    prepare: Prepare
    aliases: tuple[str, ...] = ()
    role: Role = Role.GUEST
    private: bool = False
    topic: Topic = Topic.CONVERSATION

    @classmethod
    def at_once(
        cls,
        name: str,
        description: str,
        run: Run,
        aliases: tuple[str, ...] = (),
        *,
        role: Role = Role.GUEST,
        private: bool = False,
        topic: Topic = Topic.CONVERSATION,
    ) -> Command:
        """A command that needs nothing but the transaction."""

        async def prepare(_: Caller, __: str) -> Run:
            return run

        return cls(name, description, prepare, aliases, role, private, topic)

    def allows(self, role: Role, *, direct: bool) -> bool:
        """Whether users of this role may give it in a direct chat, or in a group."""
        if not direct and (self.private or self.role is Role.OWNER):
            return False
        return RANKS[role] >= RANKS[self.role]


class Registry:
    """All commands. Implements `core.slash.Commands`."""

    def __init__(self, commands: Sequence[Command], clock: Clock) -> None:
        self._clock = clock
        listing = Command.at_once("help", "List my commands", self._help, topic=Topic.YOU)
        self._commands = (*commands, listing)
        self._by_name = {
            name: command for command in self._commands for name in (command.name, *command.aliases)
        }

    def visible_to(self, role: Role, *, direct: bool) -> Sequence[Command]:
        """The commands that a user of this role may give."""
        return [command for command in self._commands if command.allows(role, direct=direct)]

    def knows(self, name: str) -> bool:
        return bool(difflib.get_close_matches(name, self._by_name, n=1))

    def menu(self, user: User, *, direct: bool) -> tuple[MenuEntry, ...]:
        return tuple(
            MenuEntry(command.name, command.description)
            for command in self.visible_to(user.role, direct=direct)
        )

    async def prepare(self, slash: Slash, caller: Caller) -> Prepared:
        role, direct = caller.user.role, caller.conversation.direct
        command = self._by_name.get(slash.name)
        if command is None or not command.allows(role, direct=direct):
            return partial(self._refuse, slash.name, role, direct=direct)
        run = await command.prepare(caller, slash.words)
        return partial(self._run, run, caller, slash.words)

    def _run(self, run: Run, caller: Caller, words: str, session: Session) -> Reply:
        reply = run(Call(caller, words, session, self._clock.now()))
        return Reply(reply) if isinstance(reply, str) else reply

    def _refuse(self, name: str, role: Role, _: Session, *, direct: bool) -> Reply:
        return Reply(self._unknown(name, role, direct=direct))

    def _help(self, call: Call) -> str:
        direct = call.conversation.direct
        visible = self.visible_to(call.user.role, direct=direct)
        parts = [HOW_TO_TALK if direct else HOW_TO_TALK_HERE]
        for topic in Topic:
            lines = [_line(command) for command in visible if command.topic is topic]
            if lines:
                parts.append("\n".join([f"{topic}:", *lines]))
        return "\n\n".join(parts)

    def _unknown(self, name: str, role: Role, *, direct: bool) -> str:
        names = [command.name for command in self.visible_to(role, direct=direct)]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean /{near[0]}?" if near else ""
        return f"I don't know /{name}.{hint} /help lists my commands."


def _line(command: Command) -> str:
    also = ", ".join(f"/{alias}" for alias in command.aliases)
    return f"/{command.name} - {command.description}" + (f" (also {also})" if also else "")
