"""Reminders that are due: what a turn is told of them unasked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from gaia.memory import credentials
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus

AHEAD = timedelta(days=1)
"""How long before it is due a reminder is told."""

OVERDUE = timedelta(days=7)
"""How long after it was due it still is."""

MOST_REMINDERS = 3


def due(session: Session, user_id: str, now: datetime) -> Sequence[Memory]:
    """The user's reminders that are due soon or were lately, the first to be due first.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    found = session.scalars(
        select(MemoryRow)
        .where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.kind == MemoryKind.REMINDER,
            MemoryRow.sensitive.is_(False),
            MemoryRow.due_at >= now - OVERDUE,
            MemoryRow.due_at <= now + AHEAD,
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > now),
        )
        .order_by(MemoryRow.due_at, MemoryRow.memory_id)
        .limit(MOST_REMINDERS)
    )
    return [memory_of(row) for row in found if credentials.find(row.text) is None]
