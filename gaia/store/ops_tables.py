"""The tables of running gaia: when jobs ran, who was told what of their tokens, what gaia
proposed and an owner approved, and who is signed in to the memory page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import NEVER_REUSE_IDS, Base


class JobRunRow(Base):
    """The last run of a job of the schedule.

    `due_at` is when it was to be run, `started_at` when it was: what lies between them it
    was late. `started_at` is empty while it waits: it was never run, or gaia stopped
    meanwhile. `finished_at` is empty while it runs, and of one that gaia did not outlive.
    `error` is empty for one that went well; `succeeded_at` is when one did last.
    `attempts` counts the runs for that `due_at`. `next_at` is when it is run next; empty
    for a job that is run every few minutes, or that gaia is set not to run.
    """

    __tablename__ = "job_runs"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    due_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    succeeded_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    next_at: Mapped[datetime | None]


class BudgetNoticeRow(Base):
    """That a user was told on a day how much of a day's tokens is used.

    `budget` is whose tokens: `user` or `all`. `stage` is what was told: `near` or `used_up`.
    """

    __tablename__ = "budget_notices"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    budget: Mapped[str] = mapped_column(String(8), primary_key=True)
    stage: Mapped[str] = mapped_column(String(8), primary_key=True)


class GrowthRow(Base):
    """A change that gaia proposed from its usage, and that `user_id` approved.

    `key` is a setting, which had the value `before` and got `after`; of a rule it is the
    proposal's name, and `memory_id` the memory that it became: its words stand there alone.
    `reason` tells the figures. `undone_at` is when it was taken back.
    """

    __tablename__ = "growth"
    __table_args__ = (NEVER_REUSE_IDS,)

    growth_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    key: Mapped[str]
    before: Mapped[Any] = mapped_column(JSON)
    after: Mapped[Any] = mapped_column(JSON)
    reason: Mapped[str]
    memory_id: Mapped[int | None] = mapped_column(
        ForeignKey("memories.memory_id", ondelete="SET NULL"), index=True
    )
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class LetterRow(Base):
    """What a user wants to have told to another, until they have said yes or no. `turn_id` is
    the turn whose tool wrote it."""

    __tablename__ = "letters"
    __table_args__ = (NEVER_REUSE_IDS,)

    letter_id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    to_user_id: Mapped[str] = mapped_column(String(40))
    text: Mapped[str]
    turn_id: Mapped[str | None] = mapped_column(String(40))
    created_at: Mapped[datetime]


class ToolFailureRow(Base):
    """A tool that failed when a user's turn called it last: the kind of error, and since when.
    The row goes when it works again."""

    __tablename__ = "tool_failures"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), primary_key=True)
    tool: Mapped[str] = mapped_column(String(64), primary_key=True)
    error: Mapped[str] = mapped_column(String(64))
    since: Mapped[datetime]


class PageLinkRow(Base):
    """A link to the memory page that was not opened yet, by the SHA-256 of its token."""

    __tablename__ = "page_links"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    expires_at: Mapped[datetime]


class PageSessionRow(Base):
    """A browser that is signed in to the memory page, by the SHA-256 of its token. `used_at` is
    a use that was noted: not each one is."""

    __tablename__ = "page_sessions"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"), index=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime]
