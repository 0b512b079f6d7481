"""Tools that failed, for as long as they do: what a model is told of them until they work again.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from gaia.store.ops_tables import ToolFailureRow
from gaia.store.tables import UserRow


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """A tool that failed when it was called last, since when, and why."""

    tool: str
    error: str
    since: datetime


@dataclass(frozen=True, slots=True)
class ToolFates:
    """How the tools of a turn fared: those that failed, with the kind of error, and those that
    worked."""

    failed: Mapping[str, str] = field(default_factory=dict)
    worked: Collection[str] = ()


NO_TOOLS = ToolFates()


def listed(session: Session, user_id: str) -> Sequence[ToolFailure]:
    """The tools that fail for a user, by name."""
    rows = session.scalars(
        select(ToolFailureRow)
        .where(ToolFailureRow.user_id == user_id)
        .order_by(ToolFailureRow.tool)
    )
    return [ToolFailure(row.tool, row.error, row.since) for row in rows]


def note(session: Session, user_id: str, fates: ToolFates, now: datetime) -> None:
    """Keep which tools failed in a turn, and why, and drop those that worked."""
    if not fates.failed and not fates.worked:
        return
    gone = session.scalars(
        delete(ToolFailureRow)
        .where(ToolFailureRow.user_id == user_id, ToolFailureRow.tool.in_(fates.worked))
        .returning(ToolFailureRow.tool)
    ).all()
    for tool, error in fates.failed.items():
        row = {"user_id": user_id, "tool": tool, "error": error, "since": now}
        same = insert(ToolFailureRow).values(row)
        key = [ToolFailureRow.user_id, ToolFailureRow.tool]
        session.execute(same.on_conflict_do_update(index_elements=key, set_={"error": error}))
    if gone or fates.failed:
        # What a turn is told has changed.
        session.execute(
            update(UserRow)
            .where(UserRow.user_id == user_id)
            .values(memory_version=UserRow.memory_version + 1)
        )
