"""A ledger on disk, and an index over it whose parts are fakes."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from gaia.errors import IndexUnavailableError
from gaia.memory import ledger
from gaia.memory.index.index import LONGEST_PAUSE_SECONDS, Index, Stage
from gaia.memory.index.parts import Parts
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.ownership import wipe_user
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.testing.clock import FakeClock, until
from gaia.testing.fake_index import FakeEmbedder, FakeStorage

T = TypeVar("T")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path, fresh_home: Home) -> AsyncIterator[Database]:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield database
    await database.close()


@dataclass
class Rig:
    """What a test of the index does to the ledger, and what it looks at."""

    database: Database
    clock: FakeClock
    embedder: FakeEmbedder
    storage: FakeStorage
    loads: int = 0
    cannot_load: str = ""

    async def user(self, name: str) -> str:
        return (await Users(self.database, self.clock).create(name, Role.MEMBER)).user_id

    async def remember(self, user_id: str, *texts: str) -> list[int]:
        said = [Statement(text, MemorySource.USER) for text in texts]
        with self.database.writing() as session:
            added = [ledger.add(session, user_id, each, self.clock.now()) for each in said]
        return [each.memory.memory_id for each in added]

    async def forget(self, user_id: str, *memory_ids: int) -> None:
        await self.database.write(ledger.remove, user_id, memory_ids, self.clock.now())

    async def wipe(self, user_id: str) -> None:
        await self.database.write(wipe_user, user_id, self.clock.now())

    async def waiting(self) -> int:
        return (await self.database.read(indexes.ops_backlog)).waiting

    def index(self, *, start_after_seconds: float = 0.0) -> Index:
        return Index(
            self._load,
            database=self.database,
            clock=self.clock,
            start_after_seconds=start_after_seconds,
        )

    @asynccontextmanager
    async def serving(self, again: Index | None = None) -> AsyncIterator[Index]:
        """An index that is served, perhaps `again`, and has done what there was to do."""
        index = again or self.index()
        async with served(index):
            yield index

    async def paused(self) -> float:
        """The seconds that the index pauses for, once it does."""
        await until(lambda: any(each <= LONGEST_PAUSE_SECONDS for each in self.clock.sleeping))
        return self.clock.sleeping[0]

    async def after_pauses(self, condition: Callable[[], bool]) -> None:
        """Return once the condition holds, with no pause between the attempts; whoever
        works is not made to run out of time."""
        while not condition():
            if any(each <= LONGEST_PAUSE_SECONDS for each in self.clock.sleeping):
                self.clock.advance(self.clock.sleeping[0])
            await asyncio.sleep(0)

    def task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return asyncio.create_task(work)

    def _load(self) -> Parts:
        self.loads += 1
        if self.cannot_load:
            raise IndexUnavailableError(self.cannot_load)
        return Parts(self.embedder, self.storage)


@asynccontextmanager
async def served(index: Index) -> AsyncIterator[asyncio.Task[None]]:
    """Serve an index until the block is left."""
    task = asyncio.create_task(index.serve())
    await asyncio.sleep(0)
    await settled(index)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled() and (failure := task.exception()):
            raise failure


async def settled(index: Index) -> None:
    """Return once the index has nothing to do, or can do nothing."""
    await index.flush()
    await until(lambda: not index.health().ok or index.health().detail in ("", Stage.IDLE))
    await until(lambda: "again" not in index.health().detail)


@pytest.fixture
def rig(database: Database, clock: FakeClock) -> Rig:
    return Rig(database, clock, FakeEmbedder(), FakeStorage())
