"""What a tool kept in a turn without asking, and how `/undo` takes it back.

What was said again since, or confirmed by its user, is theirs and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.memory import ledger, pending, rows
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus

BY_TOOL_ALONE = (
    MemoryRow.status == MemoryStatus.ACTIVE,
    MemoryRow.source == MemorySource.TOOL,
    MemoryRow.support == 1,
)
"""The conditions under which a memory can be taken back."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The turn in which a tool last kept something that can be taken back."""

    turn_id: str
    at: datetime


def last(session: Session, user_id: str, since: datetime) -> Kept | None:
    """The user's last such turn since then; None where there is none."""
    row = session.execute(
        select(MemoryRow.turn_id, MemoryRow.created_at)
        .where(
            MemoryRow.user_id == owner(user_id),
            *BY_TOOL_ALONE,
            MemoryRow.turn_id.is_not(None),
            MemoryRow.created_at >= since,
        )
        .order_by(MemoryRow.created_at.desc(), MemoryRow.memory_id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Kept(row.turn_id, row.created_at)


def take_back(
    session: Session, user_id: str, turn_id: str, now: datetime
) -> tuple[Sequence[Memory], Sequence[Memory]]:
    """Archive what tools kept in a turn, and activate again what it had replaced; returns
    both."""
    kept = session.scalars(rows.of(user_id).where(MemoryRow.turn_id == turn_id, *BY_TOOL_ALONE))
    taken_back = [memory_of(row) for row in kept]
    restored: list[Memory] = []
    for memory in taken_back:
        pending.put_aside(session, user_id, memory.memory_id, MemoryStatus.ARCHIVED, now)
        for earlier in ledger.earlier_versions(session, user_id, [memory.memory_id]):
            is_of_turn = earlier.turn_id == turn_id and earlier.source is MemorySource.TOOL
            if not is_of_turn:
                again = pending.reactivate(session, user_id, earlier.memory_id, now)
                restored += [] if again is None else [again]
                break
    return taken_back, restored
