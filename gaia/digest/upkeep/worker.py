"""Does the jobs of the upkeep of memories, user by user.

A user for whom there is nothing to do costs a read. What is done is written with the run's
journal in one transaction, so that `/undo` takes back all of it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.digest.undo import Deed, Entry, stored
from gaia.digest.upkeep import archive
from gaia.digest.upkeep.reconcile import RECONCILE, Reconciler
from gaia.digest.upkeep.synthesis import SYNTHESIS, synthesise
from gaia.errors import UpkeepError
from gaia.memory import pending
from gaia.ports import Clock
from gaia.settings.schema import MemorySettings, Settings
from gaia.store import upkeep_runs
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemoryStatus
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

FADE, RULES = "fade", "rules"
"""The jobs, by which their runs are known."""

Find = Callable[[Session, str, datetime, MemorySettings], Sequence[int]]
"""Tells which of a user's memories are to be archived."""


class MemoryUpkeep:
    """Keeps the memories of all users in order. `memory_changed` is called when the index has
    work from it, `doubt_clock` tells why the clock is not to be trusted, nothing if it is."""

    def __init__(
        self,
        *,
        database: Database,
        reconciler: Reconciler,
        memory_changed: Callable[[], None],
        doubt_clock: Callable[[], Awaitable[str]],
        clock: Clock,
        settings: Swappable[Settings],
    ) -> None:
        self._database = database
        self._reconciler = reconciler
        self._memory_changed = memory_changed
        self._doubt_clock = doubt_clock
        self._clock = clock
        self._settings = settings

    async def fade(self) -> None:
        """Archive what was of no use for long, unless the clock is doubted.

        Raises:
            UpkeepError: It failed for some users; for the others it is done.
        """
        if doubt := await self._doubt_clock():
            logger.warning("no memory is archived by its age, the clock is doubted: %s", doubt)
            return
        await self._for_each_user(FADE, self._archiving(FADE, archive.faded))

    async def cap_rules(self) -> None:
        """Archive the rules beyond the most that are kept.

        Raises:
            UpkeepError: It failed for some users; for the others it is done.
        """
        await self._for_each_user(RULES, self._archiving(RULES, archive.rules_beyond))

    async def reconcile(self) -> None:
        """Have memories give way that say what another says, or that a later one replaces.

        Raises:
            UpkeepError: It failed for some users; for the others it is done.
        """
        await self._for_each_user(RECONCILE, self._reconciler.reconcile)

    async def synthesise(self) -> None:
        """Keep aside what users said in several conversations.

        Raises:
            UpkeepError: It failed for some users; for the others it is done.
        """

        async def do(user_id: str) -> int:
            settings = self._settings.value.memory.upkeep
            return await self._database.write(synthesise, user_id, self._clock.now(), settings)

        await self._for_each_user(SYNTHESIS, do)

    async def _for_each_user(self, job: str, do: Callable[[str], Awaitable[int]]) -> None:
        """Do a job for each user with memories; it returns how many it changed."""
        memory = self._settings.value.memory
        if not (memory.enabled and memory.upkeep.enabled):
            return
        failed: list[str] = []
        for user_id in await self._database.read(_users):
            try:
                changed = await do(user_id)
            except Exception as exc:
                logger.exception("upkeep of memories: %s failed for %s", job, user_id)
                failed.append(f"{user_id} ({type(exc).__name__})")
                continue
            if changed:
                logger.info("upkeep of memories: %s changed %d of %s", job, changed, user_id)
                self._memory_changed()
        if failed:
            raise UpkeepError(f"{job} failed for {', '.join(failed)}. The log tells why")

    def _archiving(self, job: str, find: Find) -> Callable[[str], Awaitable[int]]:
        async def do(user_id: str) -> int:
            memory, now = self._settings.value.memory, self._clock.now()
            if not await self._database.read(find, user_id, now, memory):
                return 0
            return await self._database.write(_archive, job, find, user_id, now, memory)

        return do


def _users(session: Session) -> Sequence[str]:
    """The users with memories that count."""
    found = select(MemoryRow.user_id).where(MemoryRow.status == MemoryStatus.ACTIVE).distinct()
    return session.scalars(found.order_by(MemoryRow.user_id)).all()


def _archive(
    session: Session, job: str, find: Find, user_id: str, now: datetime, memory: MemorySettings
) -> int:
    done: list[Entry] = []
    for number in find(session, user_id, now, memory):
        if pending.put_aside(session, user_id, number, MemoryStatus.ARCHIVED, now) is not None:
            done.append(Entry(Deed.ARCHIVED, number))
    if done:
        upkeep_runs.add(session, user_id, job, stored(done), now)
    return len(done)
