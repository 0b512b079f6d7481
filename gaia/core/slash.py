"""Slash commands in a message: what is one, and what it says.

The commands themselves live in `gaia.commands`; the core runs them through the
`Commands` seam, apart from the turns of their conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session

from gaia.messages import Button, MenuEntry
from gaia.store.conversations import Conversation
from gaia.store.outbox import NewFile
from gaia.store.people.users import User

LONGEST_BESIDE_FILE = 500
"""Characters of a text that goes with a file. Telegram puts it below the file, where a
text has 1,024 units of UTF-16 at most, two a character."""

PATTERN = re.compile(r"/([A-Za-z][A-Za-z0-9_]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slash:
    """A command as it was typed: `/help@bot words` is `help` with `words`."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who gave a command, where, and when: `inbox_id` orders it among the messages, what it keeps
    is of the turn `turn_id`, and `sent_at` is by the provider's clock. `author` is the person in
    a group."""

    user: User
    conversation: Conversation
    inbox_id: int
    turn_id: str
    sent_at: datetime
    author: str | None = None


def _nothing() -> None:
    """There is nobody to wake."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers. `wakes` are other conversations that it wrote to;
    `committed` is called once the reply is, and wakes whoever else has work from it. One that
    `is_farewell` goes to the caller's address even if that is unlinked by the command.

    `file` goes with the text, which then has at most `LONGEST_BESIDE_FILE` characters, and
    nothing that has to be read: through Twilio, WhatsApp shows documents without.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    file: NewFile | None = None
    wakes: tuple[int, ...] = ()
    committed: Callable[[], None] = _nothing
    is_farewell: bool = False

    def __post_init__(self) -> None:
        if self.file is not None and len(self.text) > LONGEST_BESIDE_FILE:
            raise ValueError(f"a text of {len(self.text)} characters is too long beside a file")


Prepared = Callable[[Session], Reply]
"""A command that is ready to run within a transaction on gaia.db.

The transaction also marks the command as done, so that its effect and its reply
come to pass together, or not at all. It awaits nothing but the database, and what is
soon done.
"""


class Commands(Protocol):
    """Runs slash commands."""

    async def prepare(self, slash: Slash, caller: Caller) -> Prepared:
        """Find out what a command needs and may take its time, such as a search.

        Outside the transaction, and without writing: after a crash it is done again.
        """
        ...

    def knows(self, name: str) -> bool:
        """Whether there is a command of that name, or of one so much alike that it is meant."""
        ...

    def menu(self, user: User, *, direct: bool) -> tuple[MenuEntry, ...]:
        """The commands that a user may give in a direct chat, or in a group."""
        ...


def parse(text: str) -> Slash | None:
    """The command that a message is, or None: `/etc/hosts` is not one."""
    match = PATTERN.fullmatch(text.strip())
    return None if match is None else Slash(match[1].lower(), (match[2] or "").strip())
