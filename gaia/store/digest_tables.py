"""The tables of what gaia learns by itself: the archive of turns, the digests that make
memories of them, and the profiles that are made of memories.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS, Base


class ArchivedTurnRow(Base):
    """A turn that came to its end, kept when its session is gone.

    `asked` is what the session has of it: the words, and notes and files beside them.
    `words` are the user's own of it, without what they forwarded; only of those anything is
    learned. `said_at` is when its last message was sent. `context` is where it was said, and
    `length` is the number of its terms.
    """

    __tablename__ = "archived_turns"
    __table_args__ = (
        Index("ix_archived_turns_user_id_said_at_length", "user_id", "said_at", "length"),
        Index("ix_archived_turns_session_id", "session_id", "archive_id"),
        NEVER_REUSE_IDS,
    )

    archive_id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(40), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    conversation_id: Mapped[int] = mapped_column(
        ForeignKey("conversations.conversation_id"), index=True
    )
    session_id: Mapped[str]
    asked: Mapped[str]
    words: Mapped[str]
    answer: Mapped[str]
    said_at: Mapped[datetime]
    context: Mapped[str] = mapped_column(String(32), default="global", server_default="global")
    length: Mapped[int]


class ArchivedTermRow(Base):
    """The full text of the archive: that a term stands `count` times in a turn.

    Made like that of memories, and for the same reasons: see `MemoryTermRow`.
    """

    __tablename__ = "archived_terms"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    term: Mapped[str] = mapped_column(primary_key=True)
    archive_id: Mapped[int] = mapped_column(
        ForeignKey("archived_turns.archive_id", ondelete="CASCADE"), primary_key=True, index=True
    )
    count: Mapped[int]


class DigestReason(StrEnum):
    """Why a session was sealed: nobody wrote for a while, its user began again, the owner
    asked for it, two users became one, or it grew long and goes on with its last turns."""

    IDLE = "idle"
    RESET = "reset"
    OWNER = "owner"
    JOINED = "joined"
    COMPACT = "compact"


class DigestState(StrEnum):
    """The life of a digest.

    `SEALED`: its session takes no new message, and is to be read. `EXTRACTED`: every
    window of it was read. `COMMITTED`: memories and episode are written, the session may
    go. `CLEARED`: it is gone. `FAILED`: the model gave no usable answer; what could be
    told without it is pending, and the session stays.
    """

    SEALED = "sealed"
    EXTRACTED = "extracted"
    COMMITTED = "committed"
    CLEARED = "cleared"
    FAILED = "failed"


class DigestRow(Base):
    """What becomes of one sealed session, once.

    `context` is that of the session, where its memories belong. `attempts` counts the
    failures since the last that succeeded, `error` tells the last one, without a word of the
    conversation; there is no next attempt before `not_before`. `learned` and `changed` count
    the memories that it wrote and those that gave way to them, `journal` their numbers and
    what became of each, so that it can be undone. `undone_at` is when the user took them
    back.
    """

    __tablename__ = "digests"
    __table_args__ = (
        Index("ix_digests_user_id_state", "user_id", "state"),
        Index(
            "ix_digests_open",
            "state",
            sqlite_where=text("state != 'cleared'"),
        ),
        NEVER_REUSE_IDS,
    )

    digest_id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    conversation_id: Mapped[int] = mapped_column(
        ForeignKey("conversations.conversation_id"), index=True
    )
    generation: Mapped[int]
    context: Mapped[str] = mapped_column(String(32), default="global", server_default="global")
    reason: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16), default=DigestState.SEALED)
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[datetime | None]
    error: Mapped[str | None]
    learned: Mapped[int] = mapped_column(default=0)
    changed: Mapped[int] = mapped_column(default=0)
    journal: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    created_at: Mapped[datetime]
    committed_at: Mapped[datetime | None]
    undone_at: Mapped[datetime | None]


class DigestWindowRow(Base):
    """What was read in one window of a sealed session, checked, until it is committed.

    Window `number` holds the turns up to `last_archive_id`.
    """

    __tablename__ = "digest_windows"

    digest_id: Mapped[int] = mapped_column(
        ForeignKey("digests.digest_id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    last_archive_id: Mapped[int]
    outcome: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]


class ProfileRow(Base):
    """What a user's sessions begin with: bullets, the most important first, each with the
    numbers of the memories that it is made of.

    `input_hash` is that of what it was made from. One that is not `distilled` is a plain
    list of memories.
    """

    __tablename__ = "profiles"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    bullets: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    distilled: Mapped[bool]
    input_hash: Mapped[str] = mapped_column(String(64))
    updated_at: Mapped[datetime]
