"""Job runs: when each job of the schedule ran last, and how it went.

One row a job. Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from gaia.store.base import values_of
from gaia.store.ops_tables import JobRunRow

INTERRUPTED = "gaia ended while it ran"
"""The error of a run that gaia did not outlive."""

WORTH_SAYING = timedelta(minutes=5)
"""What is less late than that is on time."""


class JobState(StrEnum):
    """How the last run of a job went. `WAITS` is one that was never run, or was put off
    since gaia stopped; `INTERRUPTED` one that gaia did not outlive."""

    WAITS = "waits"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class JobRun:
    """The last run of a job. What the fields mean is told at `JobRunRow`."""

    name: str
    due_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    succeeded_at: datetime | None = None
    attempts: int = 0
    error: str = ""
    next_at: datetime | None = None

    @property
    def succeeded(self) -> bool:
        """Whether it has come to its end without an error."""
        return self.finished_at is not None and not self.error

    @property
    def late(self) -> timedelta:
        """How long after its time it was begun."""
        begun_at = self.started_at or self.due_at
        return max(begun_at - self.due_at, timedelta(0))

    def state(self, *, running: bool) -> JobState:
        """How it went; `running` says whether gaia runs."""
        if self.started_at is None:
            return JobState.WAITS
        if self.finished_at is not None:
            return JobState.FAILED if self.error else JobState.OK
        return JobState.RUNNING if running and not self.error else JobState.INTERRUPTED


def in_words(duration: timedelta) -> str:
    """A length of time, in the unit in which it is easiest to grasp."""
    minutes = duration / timedelta(minutes=1)
    if minutes < 90:
        return f"{minutes:.0f} min"
    return f"{minutes / 60:.0f} h" if minutes < 48 * 60 else f"{minutes / 60 / 24:.0f} days"


def all(session: Session) -> Sequence[JobRun]:
    """The last run of each job that was ever scheduled, by name."""
    rows = session.scalars(select(JobRunRow).order_by(JobRunRow.name))
    return [_run(row) for row in rows]


def get(session: Session, name: str) -> JobRun | None:
    """The last run of a job; None when it was never scheduled."""
    row = session.get(JobRunRow, name)
    return None if row is None else _run(row)


def expect(session: Session, name: str, due_at: datetime) -> None:
    """Say when a job is to be run that was not run yet, or by a clock that was wrong."""
    row = _row(session, name, due_at)
    row.due_at, row.next_at = due_at, due_at
    row.started_at, row.finished_at, row.attempts, row.error = None, None, 0, ""


def plan(session: Session, name: str, next_at: datetime) -> None:
    """Say when a job is run next."""
    session.execute(update(JobRunRow).where(JobRunRow.name == name).values(next_at=next_at))


def begin(session: Session, name: str, *, due_at: datetime, now: datetime) -> JobRun:
    """Say that a job is run now. From here on a crash counts as an attempt."""
    row = _row(session, name, due_at)
    row.attempts = row.attempts + 1 if row.due_at == due_at else 1
    row.due_at, row.started_at, row.finished_at, row.error = due_at, now, None, ""
    session.flush()
    return _run(row)


def finish(session: Session, name: str, now: datetime, *, error: str = "") -> None:
    """Say how the run went that was begun."""
    row = _row(session, name, now)
    row.finished_at, row.error = now, error
    if not error:
        row.succeeded_at = now


def put_back(session: Session, name: str) -> None:
    """Say that the run was given up since gaia stops: it waits, and that was no attempt."""
    session.execute(
        update(JobRunRow)
        .where(JobRunRow.name == name)
        .values(started_at=None, attempts=JobRunRow.attempts - 1)
    )


def note(session: Session, name: str, *, started_at: datetime, now: datetime, error: str) -> None:
    """Say how a run went of a job that nothing has to be made up for."""
    begin(session, name, due_at=started_at, now=started_at)
    finish(session, name, now, error=error)


def note_interrupted(session: Session) -> Sequence[str]:
    """Say of the runs that an earlier process began that it did not outlive them; returns
    whose they are."""
    names = session.scalars(
        update(JobRunRow)
        .where(
            JobRunRow.started_at.is_not(None),
            JobRunRow.finished_at.is_(None),
            JobRunRow.error == "",
        )
        .values(error=INTERRUPTED)
        .returning(JobRunRow.name)
    )
    return names.all()


def retire(session: Session, *, all_but: Collection[str]) -> None:
    """Say that no other jobs than these are run any more."""
    session.execute(update(JobRunRow).where(JobRunRow.name.not_in(all_but)).values(next_at=None))


def _row(session: Session, name: str, due_at: datetime) -> JobRunRow:
    row = session.get(JobRunRow, name)
    if row is None:
        row = JobRunRow(name=name, due_at=due_at, attempts=0, error="")
        session.add(row)
    return row


def _run(row: JobRunRow) -> JobRun:
    return JobRun(**values_of(JobRun, row))
