"""Looks every moment whether gaia's open files still stand at their paths, and saves a copy of
what gaia.db holds when they do not. A database elsewhere has no copy: nothing of it is lost
with the home."""

from __future__ import annotations

import asyncio
import logging

from gaia.errors import StoreError
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.sqlite.database import SqliteDatabase

logger = logging.getLogger(__name__)

SECONDS = 2.0
"""Between two looks. A write looks by itself."""


class HomeWatch:
    """Watches over the files of a home."""

    def __init__(self, home: Home, database: Database, clock: Clock) -> None:
        self._home = home
        self._database = database
        self._clock = clock
        self._problem = ""
        self._is_saved = False

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self._clock.sleep(SECONDS)
            await self.look()

    async def look(self) -> None:
        """Look once: at the end as well, since what is open is gone with the process."""
        problem = await asyncio.to_thread(self._database.problem)
        if problem != self._problem:
            self._problem, self._is_saved = problem, False
            if problem:
                logger.critical("%s", problem)
            else:
                logger.info("the files of the home are in their places again")
        if problem and not self._is_saved and isinstance(self._database, SqliteDatabase):
            await self._save(self._database)

    async def _save(self, database: SqliteDatabase) -> None:
        try:
            # Where the WAL alone is gone, what stands in it is safe in gaia.db after this.
            await database.checkpoint()
            copy = await database.save_copy(self._home.backups, self._clock.now())
        except StoreError as exc:
            logger.critical("%s", exc)
            return
        self._is_saved = True
        logger.critical("what gaia has is saved as %r", str(copy))
