"""Rows of the graph of people and things that nothing tells of any longer."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, exists, or_
from sqlalchemy.orm import Session

from gaia.store.memory_tables import EntityRow, RelationRow


def drop(session: Session, user_id: str, memory_ids: Collection[int]) -> None:
    """Delete what memories tell of people and things, and those of whom nothing is told then."""
    session.execute(
        delete(RelationRow).where(
            RelationRow.user_id == user_id, RelationRow.memory_id.in_(memory_ids)
        )
    )
    sweep(session, user_id)


def sweep(session: Session, user_id: str) -> None:
    """Delete those of whom no memory of the user's tells any longer."""
    is_told = or_(
        RelationRow.subject_id == EntityRow.entity_id, RelationRow.object_id == EntityRow.entity_id
    )
    session.execute(delete(EntityRow).where(EntityRow.user_id == user_id, ~exists().where(is_told)))
