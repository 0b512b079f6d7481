"""Which vector indexes there are, how far each is built, where it keeps whom, and what it
has still to take in.

Each function works within the caller's transaction. Building reads the memories of
all users, since an index is one for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, insert, select, update
from sqlalchemy.orm import Session

from gaia.store.memory_tables import (
    IndexOperation,
    IndexOpRow,
    IndexRow,
    IndexShardRow,
    MemoryRow,
    MemoryStatus,
)

GIVEN_UP = ""
"""The fingerprint of an index that another one has replaced: no embedder has it."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """An index as the database has it. What the fields mean is told at `IndexRow`."""

    index_id: int
    fingerprint: str
    active: bool
    built_to: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A memory that counts, and what it says."""

    memory_id: int
    user_id: str
    text: str


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


def every(session: Session) -> Sequence[IndexState]:
    """All indexes, the oldest first."""
    rows = session.scalars(select(IndexRow).order_by(IndexRow.index_id))
    return [_state(row) for row in rows]


def begin(session: Session, fingerprint: str, now: datetime) -> IndexState:
    """A new index, in which nothing is built yet."""
    row = IndexRow(fingerprint=fingerprint, active=False, created_at=now)
    session.add(row)
    session.flush()
    return _state(row)


def begin_beside_active(session: Session, now: datetime) -> None:
    """Have the next process that opens the indexes make the active one again. Without an
    active one, or with a new one begun, it does so anyway."""
    found = [each for each in every(session) if each.fingerprint != GIVEN_UP]
    if found and all(each.active for each in found):
        begin(session, found[-1].fingerprint, now)


def mark_built(session: Session, index_id: int, memory_id: int) -> None:
    """Say that the index has everything up to a memory."""
    session.execute(
        update(IndexRow).where(IndexRow.index_id == index_id).values(built_to=memory_id)
    )


def activate(session: Session, index_id: int) -> None:
    """Let a complete index take the place of all others. Their rows stay until their
    vectors are gone, and are of no use to anybody."""
    session.execute(
        update(IndexRow)
        .where(IndexRow.index_id != index_id)
        .values(active=False, fingerprint=GIVEN_UP)
    )
    session.execute(update(IndexRow).where(IndexRow.index_id == index_id).values(active=True))


def drop(session: Session, index_ids: Sequence[int]) -> None:
    """Forget that there were these indexes."""
    session.execute(delete(IndexRow).where(IndexRow.index_id.in_(index_ids)))


def shards(session: Session, index_id: int) -> Mapping[str, int]:
    """Where the index keeps whom."""
    rows = session.execute(
        select(IndexShardRow.user_id, IndexShardRow.shard).where(IndexShardRow.index_id == index_id)
    )
    return {row.user_id: row.shard for row in rows}


def place(session: Session, index_id: int, user_id: str, shards: int) -> int:
    """Give a user the shard of the index that has the least in it, an empty one first."""
    loads = session.execute(
        select(IndexShardRow.shard, func.count(MemoryRow.memory_id))
        .join(
            MemoryRow,
            and_(
                MemoryRow.user_id == IndexShardRow.user_id,
                MemoryRow.status == MemoryStatus.ACTIVE,
            ),
            isouter=True,
        )
        .where(IndexShardRow.index_id == index_id)
        .group_by(IndexShardRow.shard)
    )
    used = {row[0]: row[1] for row in loads}
    shard = min(range(shards), key=lambda each: (used.get(each, -1), each))
    session.add(IndexShardRow(index_id=index_id, user_id=user_id, shard=shard))
    session.flush()
    return shard


def displace(session: Session, user_id: str) -> None:
    """Forget where any index kept a user."""
    session.execute(delete(IndexShardRow).where(IndexShardRow.user_id == user_id))


SEARCHED = func.coalesce(MemoryRow.text + "\n" + MemoryRow.label, MemoryRow.text)
"""What a memory is found by: see `MemoryRow`."""


def passages(session: Session, *, after: int, limit: int) -> Sequence[Passage]:
    """The memories of all users that count, with numbers above `after`, in order."""
    rows = session.execute(
        select(MemoryRow.memory_id, MemoryRow.user_id, SEARCHED)
        .where(MemoryRow.memory_id > after, MemoryRow.status == MemoryStatus.ACTIVE)
        .order_by(MemoryRow.memory_id)
        .limit(limit)
    )
    return [Passage(*row) for row in rows]


def passages_of(session: Session, user_id: str, memory_ids: Sequence[int]) -> Sequence[Passage]:
    """Those of these memories that the user has and that count, in order."""
    rows = session.execute(
        select(MemoryRow.memory_id, MemoryRow.user_id, SEARCHED)
        .where(
            MemoryRow.user_id == user_id,
            MemoryRow.memory_id.in_(memory_ids),
            MemoryRow.status == MemoryStatus.ACTIVE,
        )
        .order_by(MemoryRow.memory_id)
    )
    return [Passage(*row) for row in rows]


def count_passages(session: Session, *, after: int = 0) -> int:
    """How many memories of all users count, with numbers above `after`."""
    query = select(func.count()).where(
        MemoryRow.memory_id > after, MemoryRow.status == MemoryStatus.ACTIVE
    )
    return session.scalar(query) or 0


def add_ops(
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


def waiting_ops(
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


def ops_done(session: Session, op_ids: Sequence[int]) -> None:
    """Say that the index has taken these operations."""
    session.execute(delete(IndexOpRow).where(IndexOpRow.op_id.in_(op_ids)))


def ops_backlog(session: Session, user_id: str | None = None) -> IndexBacklog:
    """What waits, of one user or of all."""
    query = select(func.count(), func.min(IndexOpRow.created_at))
    if user_id is not None:
        query = query.where(IndexOpRow.user_id == user_id)
    count, oldest = session.execute(query).one()
    return IndexBacklog(count, oldest)


def _state(row: IndexRow) -> IndexState:
    return IndexState(row.index_id, row.fingerprint, row.active, row.built_to)
