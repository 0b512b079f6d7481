"""The registry of slash commands: their names, who may give them, what they do."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from gaia.core.slash import Caller, Prepared, Reply, Slash
from gaia.messages import MenuEntry
from gaia.ports import Clock
from gaia.store.users import Role, User

RANKS = {Role.GUEST: 0, Role.MEMBER: 1, Role.OWNER: 2}


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command: who gave it, the words after it, and the transaction it runs in."""

    caller: Caller
    words: str
    session: Session
    now: datetime


Run = Callable[[Call], str | Reply]
"""What a command does and answers, in its transaction."""

Prepare = Callable[[Caller, str], Awaitable[Run]]
"""From who gives a command and the words after it to what is run in the transaction.
Here a command searches: it may take its time, and writes nothing."""


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
    ) -> Command:
        """A command that needs nothing but the transaction."""

        async def prepare(_: Caller, __: str) -> Run:
            return run

        return cls(name, description, prepare, aliases, role, private)

    def allows(self, role: Role, *, direct: bool) -> bool:
        """Whether users of this role may give it in a direct chat, or in a group."""
        if not direct and (self.private or self.role is Role.OWNER):
            return False
        return RANKS[role] >= RANKS[self.role]


class Registry:
    """All commands. Implements `core.slash.Commands`."""

    def __init__(self, commands: Sequence[Command], clock: Clock) -> None:
        self._clock = clock
        self._commands = (*commands, Command.at_once("help", "List my commands", self._help))
        self._by_name = {
            name: command for command in self._commands for name in (command.name, *command.aliases)
        }

    def visible_to(self, role: Role, *, direct: bool) -> Sequence[Command]:
        """The commands that a user of this role may give."""
        return [command for command in self._commands if command.allows(role, direct=direct)]

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
        lines = [
            f"/{command.name} - {command.description}"
            + (f" (also {', '.join('/' + a for a in command.aliases)})" if command.aliases else "")
            for command in self.visible_to(
                call.caller.user.role, direct=call.caller.conversation.direct
            )
        ]
        return "Just write to me. My commands are:\n" + "\n".join(lines)

    def _unknown(self, name: str, role: Role, *, direct: bool) -> str:
        names = [command.name for command in self.visible_to(role, direct=direct)]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean /{near[0]}?" if near else ""
        return f"I don't know /{name}.{hint} /help lists my commands."
