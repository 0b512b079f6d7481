"""All that the server knows: the account, its messages, templates and people."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gaia.ports import Clock
from tests.servers.changes import Changes
from tests.servers.twilio.messages import Message

WINDOW = timedelta(hours=24)
JOINED = timedelta(hours=72)
"""How long somebody who joined a sandbox may be written to."""


@dataclass(slots=True)
class Contact:
    """How things stand with a person. Nobody is written to who never wrote."""

    name: str
    written_at: datetime | None = None
    joined_at: datetime | None = None
    is_stopped: bool = False
    is_blocking: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places {{1}}, {{2}} for what changes. `failure` is why WhatsApp sends
    none of it: paused, disabled, rejected."""

    sid: str
    text: str
    failure: int | None = None


class World:
    """The state of the server. Everything here is plain and changes at once."""

    def __init__(
        self, clock: Clock, account_sid: str, auth_token: str, number: str, *, is_sandbox: bool
    ) -> None:
        self.account_sid = account_sid
        self.auth_token = auth_token
        self.number = number
        self.is_sandbox = is_sandbox
        self.changes = Changes()
        self.messages: dict[str, Message] = {}
        self.contacts: dict[str, Contact] = {}
        self.templates: dict[str, Template] = {}
        self.typing: Counter[str] = Counter()
        self._clock = clock
        self._arrived = 0

    def now(self) -> datetime:
        return self._clock.now()

    def new_sid(self, prefix: str) -> str:
        """An id that was never given before, by no other server either."""
        return prefix + uuid.uuid4().hex

    def put(self, message: Message) -> Message:
        """Add a message, or replace it by a newer state of itself."""
        self.messages[message.sid] = message
        self.changes.tell()
        return message

    def arrive(self, sid: str) -> None:
        """Bring a message to its person, unless they have it."""
        message = self.messages[sid]
        if message.arrival is None:
            self._arrived += 1
            self.put(replace(message, arrival=self._arrived))

    def acknowledge(self, sid: str) -> None:
        """Note that the client was told that a message was taken."""
        self.put(replace(self.messages[sid], acknowledged=True))

    def is_open(self, person: str) -> bool:
        """Whether the person may be written to freely."""
        written_at = self._contact(person).written_at
        return written_at is not None and self.now() - written_at < WINDOW

    def has_joined(self, person: str) -> bool:
        """Whether the person may be written to from this number at all."""
        joined_at = self._contact(person).joined_at
        return not self.is_sandbox or (joined_at is not None and self.now() - joined_at < JOINED)

    def is_stopped(self, person: str) -> bool:
        return self._contact(person).is_stopped

    def is_blocked(self, person: str) -> bool:
        return self._contact(person).is_blocking

    def _contact(self, person: str) -> Contact:
        """Somebody unknown has never written."""
        return self.contacts.get(person, Contact(""))
