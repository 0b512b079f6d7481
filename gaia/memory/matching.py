"""Matching: which memories hold given words, all of them. What a command deletes is
found by this, not by likeness: nobody expects to lose what only resembles their words.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.memory.owner import owner
from gaia.memory.text import query_terms
from gaia.store.memory_tables import MemoryTermRow

MOST_WORDS = 200
"""Terms that are looked for, at most, far below SQLite's parameters in a statement."""


async def holding(session: AsyncSession, user_id: str, words: str) -> Sequence[int]:
    """The user's memories with each of these words in it, in any form and order, the
    newest first; none without a word."""
    owner(user_id)
    sought = sorted(query_terms(words))[:MOST_WORDS]
    found = await session.scalars(
        select(MemoryTermRow.memory_id)
        .where(MemoryTermRow.user_id == user_id, MemoryTermRow.term.in_(sought))
        .group_by(MemoryTermRow.memory_id)
        .having(func.count() == len(sought))
        .order_by(MemoryTermRow.memory_id.desc())
    )
    return found.all() if sought else []
