"""What the vector index has still to do, in order.

Each function works within the caller's transaction: an operation is written in the
one that changes the memory, so that the ledger and the index cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from gaia.store.memory_tables import IndexOperation, IndexOpRow


@dataclass(frozen=True, slots=True)
class IndexOp:
    """One thing to do. Only `DROP_USER` has no memory."""

    op_id: int
    user_id: str
    memory_id: int | None
    operation: IndexOperation


@dataclass(frozen=True, slots=True)
class IndexBacklog:
    """What waits. `oldest` is since when the oldest does."""

    waiting: int
    oldest: datetime | None


def add(
    session: Session,
    user_id: str,
    memory_ids: Iterable[int],
    operation: IndexOperation,
    now: datetime,
) -> None:
    """Have `operation` done for each of the user's memories."""
    rows = [
        {"user_id": user_id, "memory_id": each, "operation": operation, "created_at": now}
        for each in memory_ids
    ]
    if rows:
        session.execute(insert(IndexOpRow), rows)


def drop_user(session: Session, user_id: str, now: datetime) -> None:
    """Have everything of a user removed; what waits for them need not be done any more."""
    session.execute(delete(IndexOpRow).where(IndexOpRow.user_id == user_id))
    session.add(IndexOpRow(user_id=user_id, operation=IndexOperation.DROP_USER, created_at=now))
    session.flush()


def waiting(
    session: Session, *, limit: int, of: Collection[IndexOperation] = tuple(IndexOperation)
) -> Sequence[IndexOp]:
    """The operations of these kinds that come next, the oldest first."""
    rows = session.scalars(
        select(IndexOpRow)
        .where(IndexOpRow.operation.in_(of))
        .order_by(IndexOpRow.op_id)
        .limit(limit)
    )
    return [
        IndexOp(row.op_id, row.user_id, row.memory_id, IndexOperation(row.operation))
        for row in rows
    ]


def done(session: Session, op_ids: Sequence[int]) -> None:
    """Say that the index has taken these operations."""
    session.execute(delete(IndexOpRow).where(IndexOpRow.op_id.in_(op_ids)))


def backlog(session: Session, user_id: str | None = None) -> IndexBacklog:
    """What waits, of one user or of all."""
    query = select(func.count(), func.min(IndexOpRow.created_at))
    if user_id is not None:
        query = query.where(IndexOpRow.user_id == user_id)
    count, oldest = session.execute(query).one()
    return IndexBacklog(count, oldest)
