"""Finding memories by their words alone."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.memory import ledger, matching
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.store.engine import Database


class WordFinder:
    """Implements `recall.Finder`: memories that hold every word."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, user_id: str, text: str, *, limit: int) -> Sequence[Memory]:
        async with self._database.read() as session:
            ids = await matching.holding(session, owner(user_id), text)
            found = await ledger.get_many(session, user_id, ids[:limit])
        return sorted(found, key=lambda memory: -memory.memory_id)

    async def relevant(self, user_id: str, text: str, *, limit: int) -> Sequence[Memory]:
        return await self.find(user_id, text, limit=limit)
