"""Upkeep: once a day what has had its time goes, and what failed is tried again.

All of it may be done as often as one likes: each part does only what is due.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from gaia.core.digesting.digesting import Digesting
from gaia.memory import archive, holding
from gaia.ports import Clock
from gaia.store import digests, outbox_files
from gaia.store.engine import Database

logger = logging.getLogger(__name__)

HELD_FOR = timedelta(days=90)
"""So long something that gaia is not sure of waits for what supports it."""

DIGESTS_KEPT_FOR = timedelta(days=90)

FILES_KEPT_FOR = timedelta(days=1)
"""So long a file stays after it has been sent: providers fetch it within the hour."""


class Upkeep:
    """Keeps the database of all users in order. `memory_changed` is called when the index
    has work from it."""

    def __init__(
        self,
        *,
        database: Database,
        digesting: Digesting,
        memory_changed: Callable[[], None],
        clock: Clock,
        archive_days: int,
    ) -> None:
        self._database = database
        self._digesting = digesting
        self._memory_changed = memory_changed
        self._clock = clock
        self._archive_days = archive_days

    async def run(self) -> None:
        """Do what is due."""
        await self._retry_digests()
        await self._drop_memories()
        await self._prune()

    async def _retry_digests(self) -> None:
        if not self._digesting.enabled:
            return
        async with self._database.write() as session:
            again = await digests.retry(session)
        for digest in again:
            self._digesting.wake(digest.user_id)

    async def _drop_memories(self) -> None:
        now = self._clock.now()
        async with self._database.write() as session:
            dropped = await holding.drop_held(session, now - HELD_FOR)
        expired = 0
        while some := await self._expire_some(now):
            expired += some
        if expired or dropped:
            logger.info("memories: %d have expired, %d were never sure", expired, dropped)
            self._memory_changed()

    async def _expire_some(self, now: datetime) -> int:
        async with self._database.write() as session:
            return await holding.expire(session, now)

    async def _prune(self) -> None:
        now = self._clock.now()
        turns = 0
        while some := await self._prune_turns(now):
            turns += some
        if turns:
            logger.info("%d turns are too old to be kept", turns)
        async with self._database.write() as session:
            pruned = await digests.prune(session, now - DIGESTS_KEPT_FOR)
        if pruned:
            logger.info("%d digests are too old to be kept", pruned)
        async with self._database.write() as session:
            files = await outbox_files.drop_left(session, now - FILES_KEPT_FOR)
        if files:
            logger.info("%d files that were sent are not kept any longer", files)

    async def _prune_turns(self, now: datetime) -> int:
        async with self._database.write() as session:
            return await archive.prune(session, now, self._archive_days)
