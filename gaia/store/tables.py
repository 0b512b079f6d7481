"""The tables of gaia.db: people and messages. Those of long-term memory are in
`memory_tables`. Migrations in `migrations/` bring a file to this state.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS
from gaia.store.base import Base as Base
from gaia.store.ops_tables import JobRunRow  # noqa: F401 - so that Base knows all tables
from gaia.store.people.pairing_tables import PairingRow  # noqa: F401 - as above
from gaia.store.upkeep_tables import UpkeepRunRow  # noqa: F401 - as above


class InboxState(StrEnum):
    """The life of an inbound message. `STOPPING` is a running turn that the user
    stopped; `STOPPED`, `DEAD` and `REFUSED`, for one too many, are ends without an answer.
    One that is `OVERHEARD` was not for gaia, unless it turns out to be: it goes soon."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    STOPPED = "stopped"
    DEAD = "dead"
    REFUSED = "refused"
    OVERHEARD = "overheard"


class OutboxState(StrEnum):
    """The life of an outbound chunk. `SENDING` found at start means `UNKNOWN`.

    `QUEUED` is one that the provider took and will tell more of; it goes on to `SENT`,
    `DELIVERED` and `READ` as far as the provider tells. `SENT` is the end of one that a
    channel without such reports has sent.
    """

    PENDING = "pending"
    SENDING = "sending"
    QUEUED = "queued"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    UNKNOWN = "unknown"
    DEAD = "dead"


class UserRow(Base):
    """A person, or a group chat. The id is opaque and random; a removed user's row
    stays as a tombstone without a name. `name_key` is what makes two names the same.
    `memory_version` rises with each change of their memories and their profile, whoever
    makes it, by triggers that the first migration makes: what was read under the same one
    still holds. `zone` is the name of their time zone, once they have told it; `zone_asked_at`
    is when gaia asked whether one that it had guessed is theirs."""

    __tablename__ = "users"
    __table_args__ = (
        Index(
            "ix_users_name_key",
            "name_key",
            unique=True,
            sqlite_where=text("removed_at IS NULL"),
        ),
    )

    user_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str]
    role: Mapped[str] = mapped_column(String(16))
    is_group: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    removed_at: Mapped[datetime | None]
    memory_version: Mapped[int] = mapped_column(default=0, server_default="0")
    zone: Mapped[str | None] = mapped_column(String(64))
    zone_asked_at: Mapped[datetime | None]


class IdentityRow(Base):
    """An address that belongs to a user."""

    __tablename__ = "identities"

    channel: Mapped[str] = mapped_column(String(32), primary_key=True)
    sender: Mapped[str] = mapped_column(String(255), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    created_at: Mapped[datetime]


class ConversationRow(Base):
    """One chat of one user on one channel, and the number of its present session.

    `chat` is where replies go. A provider may give a chat another id: `first_chat`
    is the one it had at first, which stays in the names of its sessions. `sender` is who
    wrote there last: it is its user's for as long as that address is.
    `session_turns` counts the finished turns of the present session, `context` is where its
    memories belong, and of one that is `is_incognito` nothing is kept. `written_at` and
    `asked_at` are those of `messages.Contact`.
    """

    __tablename__ = "conversations"
    __table_args__ = (UniqueConstraint("user_id", "channel", "chat"), NEVER_REUSE_IDS)

    conversation_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    channel: Mapped[str] = mapped_column(String(32))
    chat: Mapped[str] = mapped_column(String(255))
    first_chat: Mapped[str] = mapped_column(String(255))
    sender: Mapped[str] = mapped_column(String(255), default="", server_default="")
    direct: Mapped[bool]
    generation: Mapped[int] = mapped_column(default=1)
    session_turns: Mapped[int] = mapped_column(default=0)
    context: Mapped[str] = mapped_column(String(32), default="global", server_default="global")
    is_incognito: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime]
    last_message_at: Mapped[datetime]
    written_at: Mapped[datetime | None]
    asked_at: Mapped[datetime | None]


class EventRow(Base):
    """An event of a session, which is the agent kit's JSON: what was said, or what a tool did.

    The events of a turn are written when it ends, in the order of their ids.
    """

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_session_id_event_id", "session_id", "event_id"),
        NEVER_REUSE_IDS,
    )

    event_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    session_id: Mapped[str]
    turn_id: Mapped[str] = mapped_column(String(40))
    said_at: Mapped[datetime]
    event: Mapped[str]


class InboxRow(Base):
    """An inbound message, from its receipt to its answer.

    `generation` is the session that it belongs to, fixed on receipt, as are its `context` and
    whether it `is_incognito`: a command that changes them counts for what came after it. `turn_id`
    is set when a turn takes it. `failures` counts turns that failed, `starts`
    those that began: the difference are interruptions by a crash. `notes`,
    `replied_to` and `attachments` are those of `messages.Inbound`, as JSON. Of one that
    `is_incognito` they, and the text, go when it is answered. `edits` lists the provider's
    ids of the messages that were to replace this one's text, `corrects` is the message that
    this one stands in the place of.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("channel", "provider_message_id"),
        Index("ix_inbox_conversation_id_state", "conversation_id", "state"),
        Index("ix_inbox_conversation_id_received_at", "conversation_id", "received_at"),
        Index("ix_inbox_corrects", "corrects"),
        NEVER_REUSE_IDS,
    )

    inbox_id: Mapped[int] = mapped_column(primary_key=True)
    channel: Mapped[str] = mapped_column(String(32))
    provider_message_id: Mapped[str] = mapped_column(String(255))
    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversations.conversation_id"))
    generation: Mapped[int]
    text: Mapped[str]
    sender_name: Mapped[str | None]
    author: Mapped[str | None] = mapped_column(String(255))
    notes: Mapped[list[str]] = mapped_column(JSON, default=list)
    replied_to: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    attachments: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    context: Mapped[str] = mapped_column(String(32), default="global", server_default="global")
    is_incognito: Mapped[bool] = mapped_column(default=False, server_default=false())
    album: Mapped[str | None] = mapped_column(String(255))
    is_forwarded: Mapped[bool] = mapped_column(default=False, server_default=false())
    edits: Mapped[list[str]] = mapped_column(JSON, default=list)
    corrects: Mapped[int | None]
    is_command: Mapped[bool]
    wants_preview: Mapped[bool]
    sent_at: Mapped[datetime]
    received_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(16), default=InboxState.QUEUED)
    turn_id: Mapped[str | None] = mapped_column(String(40), index=True)
    starts: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class OutboxRow(Base):
    """A chunk of a reply, from its writing to its receipt by the channel.

    `repeated` is set when it is sent a second time because the outcome of the
    first is unknown. `refused_since` is when the channel refused it first, `sent_at` when
    it got it last. `provider_id` is what the provider calls that copy, or the last one
    that it told of; `failed_ids` are the copies that it could not deliver. It waits until
    `not_before`; one that has left keeps the next one waiting until then, unless the
    provider has told more of it. The text of one that `is_incognito` goes when it is sent. One
    that `is_farewell` is sent to an address that is its user's no longer, too. One that says a
    reminder has its memory's number, `reminder_id`, and when it `was_due`.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_conversation_id_state", "conversation_id", "state"),
        NEVER_REUSE_IDS,
    )

    outbox_id: Mapped[int] = mapped_column(primary_key=True)
    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversations.conversation_id"))
    turn_id: Mapped[str | None] = mapped_column(String(40), index=True)
    seq: Mapped[int]
    final: Mapped[bool]
    text: Mapped[str]
    state: Mapped[str] = mapped_column(String(16), default=OutboxState.PENDING)
    attempts: Mapped[int] = mapped_column(default=0)
    repeated: Mapped[bool] = mapped_column(default=False)
    buttons: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    refused_since: Mapped[datetime | None]
    not_before: Mapped[datetime | None]
    provider_id: Mapped[str | None] = mapped_column(String(255))
    failed_ids: Mapped[list[str]] = mapped_column(JSON, default=list, server_default="[]")
    error: Mapped[str | None]
    is_incognito: Mapped[bool] = mapped_column(default=False, server_default=false())
    reminder_id: Mapped[int | None]
    was_due: Mapped[datetime | None]
    is_farewell: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]


class OutboxFileRow(Base):
    """The file that goes with a chunk."""

    __tablename__ = "outbox_files"

    outbox_id: Mapped[int] = mapped_column(ForeignKey("outbox.outbox_id"), primary_key=True)
    conversation_id: Mapped[int] = mapped_column(
        ForeignKey("conversations.conversation_id"), index=True
    )
    name: Mapped[str]
    media_type: Mapped[str] = mapped_column(String(128))
    content: Mapped[bytes]


class AuditRow(Base):
    """One decision about access: append-only, which triggers that the first migration makes
    see to, and read by nothing that makes a prompt.

    `actor` is a user id, `cli` or `gaia`; `subject` is a user id, or empty while
    the sender is a stranger.
    """

    __tablename__ = "audit"
    __table_args__ = (NEVER_REUSE_IDS,)

    audit_id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    action: Mapped[str] = mapped_column(String(32))
    actor: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(40))
    channel: Mapped[str | None] = mapped_column(String(32))
    sender: Mapped[str | None] = mapped_column(String(255))
    detail: Mapped[str]


class UsageRow(Base):
    """Model tokens by user, day (of the machine's time zone) and purpose, and what they
    cost by the prices of their time, in the currency of the settings. `tariff` is that of
    `usage.Usage`."""

    __tablename__ = "usage"
    __table_args__ = (Index("ix_usage_day", "day"),)

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16), primary_key=True)
    model: Mapped[str] = mapped_column(String(128), primary_key=True)
    calls: Mapped[int] = mapped_column(default=0)
    tokens_in: Mapped[int] = mapped_column(default=0)
    tokens_out: Mapped[int] = mapped_column(default=0)
    cost: Mapped[float] = mapped_column(default=0.0, server_default="0")
    tariff: Mapped[str] = mapped_column(String(8), server_default="settings")
