"""The full text of memories: which term stands in which, and how often.

Each function works within the caller's transaction, and reads and writes the rows of
one user alone: what is rare or frequent is so among that user's memories.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Float, case, delete, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.memory_tables import MemoryRow, MemoryStatus, MemoryTermRow

SATURATION = 1.2
"""k1 of BM25: how soon more of the same term stops to count. The usual value."""

LENGTH_SHARE = 0.75
"""b of BM25: how far a long memory has to mention a term more often. The usual value."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What BM25 knows of a user's memories as a whole."""

    size: int
    average_length: float
    frequencies: Mapping[str, int]
    """In how many memories each term stands; a term that stands in none is left out."""

    def weight(self, term: str, *, of_at_least: int = 0) -> float:
        """The inverse document frequency of a term, which is never negative; `of_at_least`
        so many memories, where few tell nothing of how common a term is."""
        frequency = self.frequencies.get(term, 0)
        size = max(self.size, frequency, of_at_least)
        return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


async def write(
    session: AsyncSession, user_id: str, memory_id: int, terms: Mapping[str, int]
) -> None:
    """Store the terms of a memory that has none yet."""
    if terms:
        await session.execute(
            insert(MemoryTermRow),
            [
                {"user_id": user_id, "term": term, "memory_id": memory_id, "count": count}
                for term, count in terms.items()
            ],
        )


async def remove(session: AsyncSession, user_id: str, memory_ids: Sequence[int]) -> None:
    """Remove the terms of these memories."""
    await session.execute(
        delete(MemoryTermRow).where(
            MemoryTermRow.user_id == user_id, MemoryTermRow.memory_id.in_(memory_ids)
        )
    )


async def corpus(session: AsyncSession, user_id: str, terms: Collection[str]) -> Corpus:
    """The user's memories as a whole, with the frequencies of these terms."""
    size, length = (
        await session.execute(
            select(func.count(), func.sum(MemoryRow.length)).where(
                MemoryRow.user_id == user_id, MemoryRow.status == MemoryStatus.ACTIVE
            )
        )
    ).one()
    frequencies = await session.execute(
        select(MemoryTermRow.term, func.count().label("memories"))
        .where(MemoryTermRow.user_id == user_id, MemoryTermRow.term.in_(terms))
        .group_by(MemoryTermRow.term)
    )
    return Corpus(
        size, (length or 0) / size if size else 0.0, {row.term: row.memories for row in frequencies}
    )


async def search(
    session: AsyncSession,
    user_id: str,
    terms: Collection[str],
    known: Corpus,
    limit: int,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> Mapping[int, float]:
    """The memories in which any of the terms stands, with their BM25 scores: the `limit`
    best of those that meet the conditions, which are of `MemoryRow`."""
    weights = {term: known.weight(term) for term in terms if term in known.frequencies}
    if not weights:
        return {}
    weight = case(weights, value=MemoryTermRow.term, else_=literal(0.0, Float))
    relative_length = MemoryRow.length / max(known.average_length, 1.0)
    damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative_length)
    score = func.sum(
        weight * MemoryTermRow.count * (SATURATION + 1) / (MemoryTermRow.count + damping)
    )
    rows = await session.execute(
        select(MemoryTermRow.memory_id, score)
        .join(MemoryRow, MemoryRow.memory_id == MemoryTermRow.memory_id)
        .where(MemoryTermRow.user_id == user_id, MemoryTermRow.term.in_(weights))
        .where(*conditions)
        .group_by(MemoryTermRow.memory_id)
        .order_by(score.desc(), MemoryTermRow.memory_id.desc())
        .limit(limit)
    )
    return {memory_id: float(found) for memory_id, found in rows}
