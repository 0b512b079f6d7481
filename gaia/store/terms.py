"""The full text of memories: which term stands in which, and how often.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, insert
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.memory_tables import MemoryTermRow


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
