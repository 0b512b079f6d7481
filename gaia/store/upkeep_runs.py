"""What each run of a job of upkeep did with one user's memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from gaia.store.upkeep_tables import UpkeepRunRow


@dataclass(frozen=True, slots=True)
class UpkeepRun:
    """A run that did something; what the fields mean is told at `UpkeepRunRow`."""

    run_id: int
    job: str
    journal: Sequence[dict[str, Any]]
    at: datetime
    undone_at: datetime | None


def add(
    session: Session,
    user_id: str,
    job: str,
    journal: Sequence[dict[str, Any]],
    now: datetime,
    *,
    seen_to: int = 0,
) -> None:
    """Keep what a run did."""
    last = _last(session, user_id, job)
    if last is not None and not last.journal:
        session.delete(last)
    session.add(
        UpkeepRunRow(user_id=user_id, job=job, seen_to=seen_to, journal=list(journal), at=now)
    )


def last_look(session: Session, user_id: str, job: str) -> tuple[int, datetime | None]:
    """How far a job has seen the user's memories, and when it last looked at them."""
    last = _last(session, user_id, job)
    return (0, None) if last is None else (last.seen_to, last.at)


def listed(session: Session, user_id: str, limit: int) -> Sequence[UpkeepRun]:
    """The user's runs that did something, the newest first."""
    rows = session.scalars(
        select(UpkeepRunRow)
        .where(UpkeepRunRow.user_id == user_id, func.json_array_length(UpkeepRunRow.journal) > 0)
        .order_by(UpkeepRunRow.run_id.desc())
        .limit(limit)
    )
    return [UpkeepRun(row.run_id, row.job, row.journal, row.at, row.undone_at) for row in rows]


def last_undoable(session: Session, user_id: str, since: datetime) -> UpkeepRun | None:
    """The user's last run that did something since then and is not undone."""
    return next(
        (each for each in listed(session, user_id, 50) if each.at >= since and not each.undone_at),
        None,
    )


def mark_undone(session: Session, user_id: str, run_id: int, now: datetime) -> None:
    """Note that the user took a run back."""
    session.execute(
        update(UpkeepRunRow)
        .where(UpkeepRunRow.run_id == run_id, UpkeepRunRow.user_id == user_id)
        .values(undone_at=now)
    )


def prune(session: Session, before: datetime) -> int:
    """Delete runs of all users from before then, but for the last of each job, which tells
    how far it has seen; returns how many."""
    last = select(func.max(UpkeepRunRow.run_id)).group_by(UpkeepRunRow.user_id, UpkeepRunRow.job)
    gone = session.scalars(
        delete(UpkeepRunRow)
        .where(UpkeepRunRow.at < before, UpkeepRunRow.run_id.not_in(last))
        .returning(UpkeepRunRow.run_id)
    )
    return len(gone.all())


def _last(session: Session, user_id: str, job: str) -> UpkeepRunRow | None:
    return session.scalar(
        select(UpkeepRunRow)
        .where(UpkeepRunRow.user_id == user_id, UpkeepRunRow.job == job)
        .order_by(UpkeepRunRow.run_id.desc())
        .limit(1)
    )
