"""The audit: one row for each decision about who may talk to gaia, and how it is set up.

Append-only. It never holds what somebody wrote, nor a code. Each function works
within the caller's transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from gaia.messages import Address
from gaia.store.actions import Action as Action
from gaia.store.tables import AuditRow, UserRow

CLI = "cli"
"""The actor of what was decided on the command line."""

GAIA = "gaia"
"""The actor of what gaia decided by itself."""

MARK_LENGTH = 8

DENIED_WINDOW = timedelta(hours=1)
DENIED_A_WINDOW = 100
"""So many strangers are recorded within the time; each of them is once at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision. The names are those that actor and subject have now, if they are
    users who live. `action` is an `Action`, or one of another version of gaia."""

    at: datetime
    action: str
    actor: str
    actor_name: str | None
    subject: str
    subject_name: str | None
    address: Address | None
    detail: str


def record(
    session: Session,
    action: Action,
    *,
    at: datetime,
    by: str,
    subject: str = "",
    address: Address | None = None,
    detail: str = "",
) -> None:
    """Add a decision: `by` is a user id, `CLI` or `GAIA`, `subject` a user id."""
    session.add(
        AuditRow(
            at=at,
            action=action,
            actor=by,
            subject=subject,
            channel=address.channel if address else None,
            sender=address.sender if address else None,
            detail=detail,
        )
    )


def joined_into(session: Session, user_id: str) -> Sequence[str]:
    """The ids of those who became one with this user."""
    rows = session.scalars(
        select(AuditRow.actor).where(AuditRow.action == Action.JOINED, AuditRow.subject == user_id)
    )
    return rows.all()


def last(session: Session, action: Action, subject: str) -> int:
    """The number of the last decision of that kind about a user, or 0."""
    number = session.scalar(
        select(func.max(AuditRow.audit_id)).where(
            AuditRow.action == action, AuditRow.subject == subject
        )
    )
    return number or 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """That something was forgotten for good, or somebody removed. Its `mark` tells it from others,
    also from those that a restored database has under the same number."""

    at: datetime
    mark: str


def forgotten(session: Session) -> Sequence[Forgotten]:
    """What was forgotten for good so far, in the order in which it was, whatever the clock said.
    Since the last no file of the home but backups holds anything of it."""
    rows = session.execute(
        select(AuditRow.audit_id, AuditRow.at)
        .where(AuditRow.action.in_((Action.FORGOTTEN, Action.REMOVED)))
        .order_by(AuditRow.audit_id)
    )
    return [Forgotten(at, _mark(number, at)) for number, at in rows]


def _mark(number: int, at: datetime) -> str:
    told = f"{number} {at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"
    return hashlib.sha256(told.encode()).hexdigest()[:MARK_LENGTH]


def newest(session: Session) -> datetime | None:
    """When something was recorded last, whatever it was; None where nothing ever was."""
    return session.scalar(select(func.max(AuditRow.at)))


def record_denied(session: Session, address: Address, at: datetime) -> None:
    """Add that a stranger was denied, unless so many were within the hour that a row for
    each would fill the disk; the last one says so."""
    lately = session.scalar(
        select(func.count()).where(
            AuditRow.action == Action.DENIED, AuditRow.at > at - DENIED_WINDOW, AuditRow.at <= at
        )
    )
    denied = lately or 0
    if denied < DENIED_A_WINDOW:
        is_last = denied == DENIED_A_WINDOW - 1
        detail = "others are not recorded for a while" if is_last else ""
        record(session, Action.DENIED, at=at, by=GAIA, address=address, detail=detail)


def entries(
    session: Session,
    *,
    limit: int | None = None,
    actions: Collection[str] = (),
    user_id: str | None = None,
    since: datetime | None = None,
) -> Sequence[Entry]:
    """The last decisions, the oldest of them first: of these kinds, about or by a user, and
    made since a time, where that is said."""
    actors, subjects = aliased(UserRow), aliased(UserRow)
    query = (
        select(AuditRow, actors.name, subjects.name)
        .outerjoin(actors, (actors.user_id == AuditRow.actor) & actors.removed_at.is_(None))
        .outerjoin(subjects, (subjects.user_id == AuditRow.subject) & subjects.removed_at.is_(None))
        .order_by(AuditRow.audit_id.desc())
        .limit(limit)
    )
    if actions:
        query = query.where(AuditRow.action.in_(actions))
    if user_id is not None:
        query = query.where((AuditRow.subject == user_id) | (AuditRow.actor == user_id))
    if since is not None:
        query = query.where(AuditRow.at >= since)
    rows = session.execute(query)
    return [
        Entry(
            at=row.at,
            action=row.action,
            actor=row.actor,
            actor_name=actor_name,
            subject=row.subject,
            subject_name=subject_name,
            address=Address(row.channel, row.sender) if row.channel and row.sender else None,
            detail=row.detail,
        )
        for row, actor_name, subject_name in reversed(rows.all())
    ]
