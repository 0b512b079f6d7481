"""Figures on a user's memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from gaia.memory.owner import owner
from gaia.store import indexes
from gaia.store.indexes import IndexBacklog
from gaia.store.memory_tables import MemoryEntityRow, MemoryRow, MemoryStatus


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many memories there are, by status; of those that count, by kind and source.

    `oldest` and `newest` are when the first and the last of these was said, `entities` how
    many people and things they are about. `unindexed` is what the index has still to take in.
    """

    statuses: Mapping[str, int]
    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    hidden: int
    characters: int
    oldest: datetime | None
    newest: datetime | None
    entities: int
    unindexed: IndexBacklog

    @property
    def active(self) -> int:
        """How many memories count."""
        return self.statuses.get(MemoryStatus.ACTIVE, 0)


def statistics(session: Session, user_id: str) -> Statistics:
    """The figures of one user.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    theirs = MemoryRow.user_id == owner(user_id)
    counts = (theirs, MemoryRow.status == MemoryStatus.ACTIVE)

    def by(
        column: InstrumentedAttribute[str], *conditions: ColumnElement[bool]
    ) -> Mapping[str, int]:
        rows = session.execute(
            select(column, func.count()).where(*conditions).group_by(column).order_by(column)
        )
        return dict(rows.all())

    hidden, characters, oldest, newest = session.execute(
        select(
            func.count().filter(MemoryRow.sensitive),
            func.coalesce(func.sum(func.length(MemoryRow.text)), 0),
            func.min(MemoryRow.valid_from),
            func.max(MemoryRow.valid_from),
        ).where(*counts)
    ).one()
    entities = session.scalar(
        select(func.count(MemoryEntityRow.entity.distinct()))
        .join(MemoryRow, MemoryRow.memory_id == MemoryEntityRow.memory_id)
        .where(MemoryEntityRow.user_id == user_id, *counts)
    )
    return Statistics(
        statuses=by(MemoryRow.status, theirs),
        kinds=by(MemoryRow.kind, *counts),
        sources=by(MemoryRow.source, *counts),
        hidden=hidden,
        characters=characters,
        oldest=oldest,
        newest=newest,
        entities=entities or 0,
        unindexed=indexes.ops_backlog(session, user_id),
    )
