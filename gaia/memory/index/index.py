"""The index at work: it follows the ledger in the background, and is asked by recall.

It is one task, `serve`. What it needs is loaded once there is a memory, not before:
mem0 and Chroma take seconds and a hundred megabytes. Whatever fails, full text still
answers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from enum import StrEnum

from sqlalchemy import URL
from sqlalchemy.orm import Session

from gaia.clock import until_set, within
from gaia.errors import IndexDamagedError, IndexUnavailableError
from gaia.memory.index.builder import IndexBuilder, Progress
from gaia.memory.index.parts import OpenParts, Parts, TimedPool
from gaia.memory.index.searcher import Searcher
from gaia.memory.owner import owner
from gaia.memory.protocols import Neighbour
from gaia.messages import Health
from gaia.ports import Clock
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.threads import DaemonThreadPool

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0


class Stage(StrEnum):
    """How far the index has come; the values are for people."""

    OFF = "off"
    STOPPED = "not started"
    DUE = "not started yet"
    IDLE = "there is nothing to find yet"
    STARTING = "starting"
    RUNNING = ""


ATTENTIVE = (Stage.IDLE, Stage.STARTING, Stage.RUNNING)
"""The stages in which operations are looked for."""


class Index:
    """Implements `Nearest`. Without `open_parts` it is switched off.

    Of several processes the one that `leads` makes it, and the others search in it.
    It starts `start_after_seconds` after it is served, if there is anything to find.
    """

    def __init__(
        self,
        open_parts: OpenParts | None,
        *,
        database: Database,
        clock: Clock,
        start_after_seconds: float = 0.0,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        self._open_parts = open_parts
        self._database = database
        self._clock = clock
        self._start_after_seconds = start_after_seconds
        self._leads = leads
        self._is_followed = False
        self._pool = DaemonThreadPool("gaia-index")
        self._searcher = Searcher(self._pool, clock)
        self._parts: Parts | None = None
        self._builder: IndexBuilder | None = None
        self._stage = Stage.STOPPED if open_parts else Stage.OFF
        self._fault = ""
        self._progress: Progress | None = None
        self._is_current = False
        self._is_damaged = False
        self._made_again = ""
        self._wanted = self._begun = self._finished = 0
        self._woken = asyncio.Event()
        self._hurried = asyncio.Event()
        self._changed = asyncio.Condition()

    def use(self, open_parts: OpenParts | None) -> None:
        """Have other parts from its next start on. Only while it is not served."""
        self._open_parts = open_parts
        self._stage = Stage.STOPPED if open_parts else Stage.OFF
        self._fault = ""

    @property
    def enabled(self) -> bool:
        """Whether memory is switched on."""
        return self._stage is not Stage.OFF

    @property
    def server(self) -> URL | None:
        """The database that its ledger is in, see `Database.server`."""
        return self._database.server

    @property
    def made_again(self) -> str:
        """Why it was last made again since the start, empty when it was not."""
        return self._made_again

    def wake(self) -> None:
        """Say that operations were written: they are applied soon."""
        self._is_current = False
        self._woken.set()

    async def look(self) -> None:
        """Apply what others have written, if they have."""
        if self._stage in ATTENTIVE and (await self._database.read(indexes.ops_backlog)).waiting:
            self.wake()

    def health(self) -> Health:
        """Whether searches go by meaning, and the cause when they do not."""
        if fault := self._fault or self._searcher.fault:
            return Health(ok=False, detail=fault)
        if (progress := self._progress) is not None:
            words = f"memories are indexed again, {progress.done:,} of {progress.total:,} done"
            return Health(ok=self._stage is Stage.RUNNING, detail=words)
        return Health(ok=True, detail=self._stage)

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        owner(user_id)
        if self._stage is Stage.IDLE or not text.strip():
            return []
        builder, parts = self._builder, self._parts
        index = builder.active if builder and self._stage is Stage.RUNNING else None
        if builder is None or parts is None or index is None:
            cause = self.health().detail or Stage.STARTING
            raise IndexUnavailableError(f"memories cannot be found by meaning: {cause}")
        try:
            return await self._searcher.nearest(parts, index, user_id, text, limit)
        except IndexDamagedError as exc:
            if builder.active is index:
                self._has_damage(exc)
                self._woken.set()
            raise
        except IndexUnavailableError:
            if not self._leads():
                # The one that makes it may have made it again, in another place.
                self._woken.set()
            raise

    async def flush(self) -> None:
        """Return when every operation written so far is applied, or cannot be for now."""
        self.wake()
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_current or self._is_held_up())

    async def reindex(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        """Index all memories again, and return when that is done. Searches go on meanwhile.

        `progress` gets how many are done, and of how many.

        Raises:
            IndexUnavailableError: It cannot be done for now; the message says why.
        """
        self._fault = ""
        self._wanted += 1
        wanted = self._wanted
        self._woken.set()
        self._hurried.set()
        async with self._changed:
            while self._finished < wanted:
                if self._is_held_up() and self._stage is not Stage.DUE:
                    cause = self.health().detail
                    raise IndexUnavailableError(f"memories cannot be indexed: {cause}")
                await self._changed.wait()
                if self._progress is not None and self._begun >= wanted:
                    progress(self._progress.done, self._progress.total)

    async def serve(self) -> None:
        """Follow the ledger until cancelled."""
        if self._open_parts is None:
            await asyncio.Event().wait()
            return
        self._stage = Stage.DUE
        # What a search failed of before tells nothing of the parts that are opened now.
        self._searcher.fault = ""
        try:
            if self._start_after_seconds:
                await until_set(self._clock, self._start_after_seconds, self._hurried)
            await self._follow(self._open_parts)
        except Exception as exc:
            self._fault = f"it failed unexpectedly ({type(exc).__name__}): see the log"
            raise
        finally:
            await self._close()

    async def _follow(self, open_parts: OpenParts) -> None:
        await self._until_needed()
        self._stage = Stage.STARTING
        pause = FIRST_PAUSE_SECONDS
        while True:
            self._woken.clear()
            try:
                builder = self._builder or await self._open(open_parts)
                await self._take_steps(builder)
                pause = FIRST_PAUSE_SECONDS
                await self._woken.wait()
            except IndexUnavailableError as exc:
                if isinstance(exc, IndexDamagedError):
                    self._has_damage(exc)
                else:
                    logger.warning("the memory index waits for %.0f s: %s", pause, exc)
                await self._tell(fault=str(exc))
                self._hurried.clear()
                await until_set(self._clock, pause, self._hurried)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _until_needed(self) -> None:
        self._stage = Stage.IDLE
        while True:
            self._woken.clear()
            if await self._database.read(_is_needed):
                return
            self._finished = self._wanted
            await self._tell(is_current=True)
            await self._woken.wait()

    async def _open(self, open_parts: OpenParts) -> IndexBuilder:
        if self._parts is None:
            loading = TimedPool(self._pool, self._clock, what="loading the memory index")
            self._parts = await loading.run(open_parts)
        storing = TimedPool(self._pool, self._clock, what="the vector store")
        self._builder = IndexBuilder(self._parts, self._database, self._clock, pool=storing)
        self._is_followed = False
        return self._builder

    async def _take_steps(self, builder: IndexBuilder) -> None:
        """Do all there is to do. What changes the index is one process's work; the others
        search in what it has made."""
        if not self._leads():
            if await builder.follow():
                self._stage = Stage.RUNNING
            await self._tell(is_current=True)
            return
        if self._is_damaged:
            self._stage = Stage.STARTING
            await builder.start_over()
            self._is_damaged, self._searcher.fault = False, ""
        elif not self._is_followed:
            await builder.open()
        self._is_followed = True
        while True:
            if self._begun < self._wanted:
                self._begun = self._wanted
                await builder.begin()
            while await builder.apply():
                await self._tell()
            await builder.verify()
            if builder.active is not None:
                self._stage = Stage.RUNNING
                await self._tell(is_current=True)
            self._progress = await builder.build()
            if self._progress is None and self._begun == self._wanted:
                self._finished = self._begun
                await self._tell(is_current=True)
                return

    def _has_damage(self, damage: IndexDamagedError) -> None:
        logger.warning("the memory index is to be made again from the ledger: %s", damage)
        self._is_damaged, self._made_again = True, str(damage)

    async def _tell(self, *, is_current: bool = False, fault: str = "") -> None:
        """Let whoever waits see what has changed."""
        self._fault = fault
        self._is_current = is_current and not self._woken.is_set()
        async with self._changed:
            self._changed.notify_all()

    def _is_held_up(self) -> bool:
        return bool(self._fault) or self._stage not in ATTENTIVE

    async def _close(self) -> None:
        self._stage = Stage.STOPPED
        builder, self._builder, self._parts = self._builder, None, None
        self._progress = None
        async with self._changed:
            self._changed.notify_all()
        if builder is not None:
            try:
                await within(self._clock, CLOSE_SECONDS, builder.close())
            except (TimeoutError, IndexUnavailableError):
                logger.warning("the memory index did not close in time: nothing is lost by that")
        self._pool.close()
        self._searcher.close()


def _is_needed(session: Session) -> bool:
    return bool(indexes.ops_backlog(session).waiting or indexes.count_passages(session))
