"""The tables of the upkeep of memories: how often each was of use, which pairs were compared,
and what each night's runs did. All name memories by their numbers alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS, Base


class MemoryUseRow(Base):
    """How often a memory went to the model with a message, and when it did last.

    Apart from the memory: a use changes nothing that a turn is told, and so does not raise
    `users.memory_version`.
    """

    __tablename__ = "memory_uses"

    memory_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    uses: Mapped[int]
    last_used_at: Mapped[datetime]


class ComparedPairRow(Base):
    """That two memories were compared: they are not once more, whatever came of it."""

    __tablename__ = "compared_pairs"

    first_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True
    )
    second_id: Mapped[int] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True, index=True
    )
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)


class UpkeepRunRow(Base):
    """What a job did with one user's memories at `at`.

    `journal` has the numbers of the memories and what became of each, as that of a digest,
    `undone_at` is when the user took it back. The job need not look again at what is numbered
    up to `seen_to`. Of runs that did nothing only the last is kept.
    """

    __tablename__ = "upkeep_runs"
    __table_args__ = (
        Index("ix_upkeep_runs_user_id_job", "user_id", "job", "run_id"),
        NEVER_REUSE_IDS,
    )

    run_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    job: Mapped[str] = mapped_column(String(16))
    seen_to: Mapped[int] = mapped_column(default=0)
    journal: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]
