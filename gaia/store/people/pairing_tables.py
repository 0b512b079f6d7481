"""The tables of who is let in: pairing codes, links of addresses, and strangers."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS, Base


class PairingPurpose(StrEnum):
    """What a pairing code is for."""

    REQUEST = "request"
    INVITE = "invite"
    LINK = "link"


class PairingRow(Base):
    """A code that lets an address in, until it is used or expires.

    A `REQUEST` was handed to a stranger, who is let in once an owner approves
    it: `channel`, `sender`, `chat`, `direct` and `name` are the stranger's. An
    `INVITE` was made by an owner, a `LINK` by a user: whoever sends it becomes
    that user, or, for an invitation without `user_id`, a new one with `name`
    and `role`. The code itself is stored nowhere: `code_hash` is its scrypt hash
    with `salt`. Once used, `user_id` is who it let in; `greeted_at` is when an
    approved stranger was told.
    """

    __tablename__ = "pairings"
    __table_args__ = (NEVER_REUSE_IDS,)

    pairing_id: Mapped[int] = mapped_column(primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16))
    salt: Mapped[bytes]
    code_hash: Mapped[bytes]
    channel: Mapped[str | None] = mapped_column(String(32))
    sender: Mapped[str | None] = mapped_column(String(255))
    chat: Mapped[str | None] = mapped_column(String(255))
    direct: Mapped[bool | None]
    name: Mapped[str | None]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.user_id"), index=True)
    role: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    greeted_at: Mapped[datetime | None]


class LinkRow(Base):
    """A link that can be undone for a day. `journal` has what was linked to the user:
    addresses, and the numbers of conversations and memories; `name` and `role` are those of
    the user who became one with them, and empty for an address of a stranger."""

    __tablename__ = "links"
    __table_args__ = (NEVER_REUSE_IDS,)

    link_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    name: Mapped[str]
    role: Mapped[str | None] = mapped_column(String(16))
    journal: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]


class StrangerRow(Base):
    """An address that belongs to nobody: when it was last told so, and how many
    codes it tried since `attempts_since`. A user who tries codes has one as well,
    by their id. Short-lived."""

    __tablename__ = "strangers"

    channel: Mapped[str] = mapped_column(String(32), primary_key=True)
    sender: Mapped[str] = mapped_column(String(255), primary_key=True)
    told_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    attempts_since: Mapped[datetime]
