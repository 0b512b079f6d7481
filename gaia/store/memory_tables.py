"""The tables of long-term memory: the ledger, its full text, what the vector index has
still to learn, and what is being forgotten.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, ForeignKey, Index, String, false, text
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS, Base


class MemoryKind(StrEnum):
    """What a memory is."""

    FACT = "fact"
    PREFERENCE = "preference"
    RULE = "rule"
    EPISODE = "episode"
    REMINDER = "reminder"
    NOTE = "note"


class MemorySource(StrEnum):
    """Who wrote a memory. `USER` is the person themselves, by a command or the terminal;
    `DISCOVERY` was found on the machine, and confirmed by its owner."""

    USER = "user"
    TOOL = "tool"
    DIGEST = "digest"
    IMPORT = "import"
    DISCOVERY = "discovery"


class MemoryStatus(StrEnum):
    """Whether a memory is used. `PENDING` waits for a second support; `SUPERSEDED` has a
    successor, or is no longer true; `ARCHIVED` ran out, or was taken back."""

    ACTIVE = "active"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class MemoryRow(Base):
    """A memory: one durable statement about a user, and where it comes from.

    `quote` is the user's own sentence that it is, or that supports it. `label` is a model's
    wording of it that was verified: it is searched, and told nowhere. `verdict` is what
    came of verifying it. `subject` is who or what it is
    about, such as a name; of a relation, `predicate` and `object` tell the rest, such as
    `Grace`, `sister of`, `the user`. `context` is where it applies: `global`, `work`, … A
    `sensitive` one is shown when it is searched for, and never offered; a `pinned` one is told
    before others, and never runs out; one that an owner has `is_shared` is read by all members.
    `session_id` and `position` place it among its neighbours: rows of one session whose positions
    differ by one were said one after the other. `hash` is that of the normalised
    text, `length` the number of the terms that it is found by. `valid_from` is when it was
    said, `valid_to` when it ceased to hold. `digest_id` is the digest that wrote it. A pending
    one `replaces` another once it is confirmed. One that is `told_by_heir` may hold again: what
    superseded it named a time, and is told together with it.

    Of a reminder `due_at` is when it is due next, and `recurrence` the rule of iCalendar by
    which it is due again; `zone` is the time zone in which its time of day was meant, None
    for a moment, such as in ten minutes. `notified_at` is when it was said last, `done_at`
    when its user was done with it.
    """

    __tablename__ = "memories"
    __table_args__ = (
        Index(
            "ix_memories_one_active",
            "user_id",
            "kind",
            "context",
            "hash",
            unique=True,
            sqlite_where=text("status = 'active'"),
        ),
        Index("ix_memories_user_id_status_length", "user_id", "status", "length"),
        Index("ix_memories_user_id_session_id_position", "user_id", "session_id", "position"),
        Index("ix_memories_due_at", "due_at", sqlite_where=text("due_at IS NOT NULL")),
        NEVER_REUSE_IDS,
    )

    memory_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    kind: Mapped[str] = mapped_column(String(16), default=MemoryKind.FACT)
    text: Mapped[str]
    quote: Mapped[str | None]
    label: Mapped[str | None]
    verdict: Mapped[str | None] = mapped_column(String(24))
    subject: Mapped[str | None]
    predicate: Mapped[str | None]
    object: Mapped[str | None]
    context: Mapped[str] = mapped_column(String(32), default="global")
    sensitive: Mapped[bool] = mapped_column(default=False)
    is_shared: Mapped[bool] = mapped_column(default=False, server_default=false())
    pinned: Mapped[bool] = mapped_column(default=False, server_default="0")
    source: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16), default=MemoryStatus.ACTIVE)
    support: Mapped[int] = mapped_column(default=1)
    valid_from: Mapped[datetime]
    valid_to: Mapped[datetime | None]
    superseded_by: Mapped[int | None] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="SET NULL"), index=True
    )
    told_by_heir: Mapped[bool] = mapped_column(default=False, server_default=false())
    expires_at: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    recurrence: Mapped[str | None] = mapped_column(String(128))
    zone: Mapped[str | None] = mapped_column(String(64))
    notified_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]
    replaces: Mapped[int | None]
    digest_id: Mapped[int | None] = mapped_column(index=True)
    session_id: Mapped[str | None]
    position: Mapped[int | None]
    turn_id: Mapped[str | None] = mapped_column(String(40))
    hash: Mapped[str] = mapped_column(String(64))
    length: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class MemoryTermRow(Base):
    """The full text: that a term stands `count` times in a memory.

    The key begins with the user, so that a search reads one person's rows alone,
    and its statistics are theirs. A row that is deleted leaves nothing behind,
    which the segments of SQLite's FTS5 would.
    """

    __tablename__ = "memory_terms"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    term: Mapped[str] = mapped_column(primary_key=True)
    memory_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True, index=True
    )
    count: Mapped[int]


class MemoryEntityRow(Base):
    """That a memory is about an entity, such as `person:sarah_chen`."""

    __tablename__ = "memory_entities"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    entity: Mapped[str] = mapped_column(primary_key=True)
    memory_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True, index=True
    )


class EntityRow(Base):
    """Somebody or something that memories tell of. `key` is its name as names are compared,
    `kind` is empty where nobody said it; the user is one with the kind `user`."""

    __tablename__ = "entities"
    __table_args__ = (Index("ix_entities_user_id_key", "user_id", "key"), NEVER_REUSE_IDS)

    entity_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    key: Mapped[str]
    name: Mapped[str]
    kind: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]


class RelationRow(Base):
    """What a memory tells of people and things: what `subject_id` is to `object_id`; each may
    be missing. Since when it holds, until when and where, the memory tells.

    `forth` are the terms by which the subject is called from the object, `back` those the
    other way round, each with a space around it. `is_same` says that both are the same under
    two names, `is_apart` that they are not.
    """

    __tablename__ = "relations"
    __table_args__ = (NEVER_REUSE_IDS,)

    relation_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    memory_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), index=True
    )
    subject_id: Mapped[int | None] = mapped_column(
        ForeignKey("entities.entity_id", ondelete="CASCADE"), index=True
    )
    predicate: Mapped[str]
    object_id: Mapped[int | None] = mapped_column(
        ForeignKey("entities.entity_id", ondelete="CASCADE"), index=True
    )
    forth: Mapped[str] = mapped_column(default="")
    back: Mapped[str] = mapped_column(default="")
    is_same: Mapped[bool] = mapped_column(default=False)
    is_apart: Mapped[bool] = mapped_column(default=False)


class IndexOperation(StrEnum):
    """What the vector index has to do. `DROP_USER` removes all of a user's vectors."""

    PUT = "put"
    REMOVE = "remove"
    DROP_USER = "drop_user"


class IndexOpRow(Base):
    """What the vector index has still to do, in the order of the ids.

    Written in the transaction that changes the memory, deleted once the index has
    taken it; each may be repeated. The user may be gone by then, so nothing refers
    to their row.
    """

    __tablename__ = "index_ops"
    __table_args__ = (NEVER_REUSE_IDS,)

    op_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(String(40), index=True)
    memory_id: Mapped[int | None]
    operation: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime]


class IndexRow(Base):
    """A vector index: `fingerprint` names the embedder, its size and the store, and so
    what its vectors can be compared with. One is `active`; a new one is built beside it
    up to the memory `built_to`, and takes its place when it is complete."""

    __tablename__ = "indexes"
    __table_args__ = (NEVER_REUSE_IDS,)

    index_id: Mapped[int] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    active: Mapped[bool]
    built_to: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]


class IndexShardRow(Base):
    """Which of an index's collections holds a user's vectors."""

    __tablename__ = "index_shards"

    index_id: Mapped[int] = mapped_column(
        ForeignKey("indexes.index_id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    shard: Mapped[int]


class ForgetState(StrEnum):
    """The life of a request to forget: asked and not confirmed yet; being carried out; and
    carried out, but for what the write-ahead log still holds. One that is done leaves
    no row. `FADING` is what nobody asked for: the files may still hold what was incognito."""

    ASKED = "asked"
    WIPING = "wiping"
    SEALING = "sealing"
    FADING = "fading"


class ForgetRow(Base):
    """A request to forget, kept until no file holds what it was about.

    `memory_ids` are the memories that it means, `everything` all of the user's.
    While it is carried out, `phrases` are what to look for in transcripts, queues and
    logs: the texts of memories that are gone already, which `turn_ids` had them from, and
    the words that the user named them by, which a question holds as well. The `turn_ids` of a
    question are the turn of the tool that asks it.
    What was received after the message `inbox_id` is none of its business.
    """

    __tablename__ = "forgets"
    __table_args__ = (NEVER_REUSE_IDS,)

    forget_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    state: Mapped[str] = mapped_column(String(16))
    everything: Mapped[bool] = mapped_column(default=False)
    memory_ids: Mapped[list[int]] = mapped_column(JSON, default=list)
    phrases: Mapped[list[str]] = mapped_column(JSON, default=list)
    turn_ids: Mapped[list[str]] = mapped_column(JSON, default=list)
    inbox_id: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]


class ForgottenRow(Base):
    """A trace of what was forgotten, so that it is not learned again from a conversation
    that is still going on: the salted hash of its terms, and nothing else."""

    __tablename__ = "forgotten"
    __table_args__ = (NEVER_REUSE_IDS,)

    forgotten_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    salt: Mapped[bytes]
    digest: Mapped[bytes]
    created_at: Mapped[datetime]
