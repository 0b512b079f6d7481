"""What an update comes to, in gaia's terms."""

from __future__ import annotations

from dataclasses import dataclass

from gaia.messages import Inbound


@dataclass(frozen=True, slots=True)
class Written:
    """Somebody wrote to the bot."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Overheard:
    """A part of an album in a group that is not for the bot by itself, and is if
    another part of the album is."""

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
    """Nothing that gaia has to know."""

    reason: str


Event = Written | Overheard | Pressed | Migrated | Unblocked | Ignored
