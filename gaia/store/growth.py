"""The steps of growth: changes that gaia proposed and an owner approved, to be undone.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.store.base import values_of
from gaia.store.ops_tables import GrowthRow


@dataclass(frozen=True, slots=True)
class Step:
    """What the fields mean is told at `GrowthRow`."""

    growth_id: int
    user_id: str
    kind: str
    key: str
    before: JsonValue
    after: JsonValue
    reason: str
    memory_id: int | None
    at: datetime
    undone_at: datetime | None


def add(
    session: Session,
    user_id: str,
    *,
    kind: str,
    key: str,
    before: JsonValue,
    after: JsonValue,
    reason: str,
    memory_id: int | None,
    now: datetime,
) -> Step:
    """Note a step that is taken."""
    row = GrowthRow(
        user_id=user_id,
        kind=kind,
        key=key,
        before=before,
        after=after,
        reason=reason,
        memory_id=memory_id,
        at=now,
    )
    session.add(row)
    session.flush()
    return _step(row)


def every(session: Session) -> Sequence[Step]:
    """All steps, the newest first."""
    rows = session.scalars(select(GrowthRow).order_by(GrowthRow.growth_id.desc()))
    return [_step(row) for row in rows]


def note_undone(session: Session, growth_id: int, now: datetime) -> None:
    """Note that a step was undone."""
    session.get_one(GrowthRow, growth_id).undone_at = now


def _step(row: GrowthRow) -> Step:
    return Step(**values_of(Step, row))
