"""The tables of running gaia: when jobs ran, and who was told what of their tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from gaia.store.base import Base


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
