"""An index in a process of its own that dies at a chosen step.

`python -m tests.harness.scripted_index` serves the index of a home for each line of its
standard input, a `Life` as JSON, in a process forked for it, and prints what came of it
as JSON: null when it died, else the memories that it holds, by user. The store is a real
Chroma; the embedder is a fake one.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, JsonValue

from gaia.clock import SystemClock
from gaia.memory.index import environment
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.index import Index
from gaia.memory.index.parts import IndexStore, Parts, Placement
from gaia.memory.protocols import Neighbour, Vector
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Users
from gaia.testing.fake_index import FakeEmbedder
from tests.harness.mortal import Fate, Mortals, fork_lives

EVERYTHING = 10_000
LOOK_SECONDS = 0.02


class Life(BaseModel):
    """How long an index lives: up to its step number `dies_at`, 0 for as long as it likes."""

    home: Path
    embedder: str = "words"
    dies_at: int = 0


class ScriptedIndex(Mortals):
    """The process that lives and dies as it is told. A life comes to what it held when
    everything was done, by user name."""

    def __init__(self, folder: Path) -> None:
        super().__init__("tests.harness.scripted_index", str(folder))


class MortalEmbedder(FakeEmbedder):
    """Each batch of passages is a step, before and after it was made."""

    def __init__(self, model: str, fate: Fate) -> None:
        super().__init__(model)
        self._fate = fate

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self._fate.step()
        vectors = super().passages(texts)
        self._fate.step()
        return vectors


class MortalStore:
    """Each change is a step, before and after it was made."""

    def __init__(self, store: IndexStore, fate: Fate) -> None:
        self._store = store
        self._fate = fate

    def put(self, user_id: str, vectors: Mapping[int, Vector]) -> None:
        self._fate.step()
        self._store.put(user_id, vectors)
        self._fate.step()

    def remove(self, user_id: str, memory_ids: Sequence[int]) -> None:
        self._fate.step()
        self._store.remove(user_id, memory_ids)
        self._fate.step()

    def drop_user(self, user_id: str) -> None:
        self._fate.step()
        self._store.drop_user(user_id)
        self._fate.step()

    def nearest(self, user_id: str, vector: Vector, limit: int) -> Sequence[Neighbour]:
        return self._store.nearest(user_id, vector, limit)

    def count(self) -> int | None:
        return self._store.count()


class MortalStorage(ChromaStorage):
    """Chroma whose stores are mortal, in three shards, so that people share them."""

    def __init__(self, folder: Path, fate: Fate) -> None:
        super().__init__(folder)
        self._fate = fate

    @property
    def shards(self) -> int:
        return 3

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        return MortalStore(super().open(index_id, placement, dimensions), self._fate)

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        self._fate.step()
        super().keep_only(index_ids, gone=gone)
        self._fate.step()


async def serve(life: Life) -> Mapping[str, Sequence[int]]:
    """Serve the index until nothing is due; what it holds then."""
    home, clock, fate = Home(life.home), SystemClock(), Fate(life.dies_at)
    parts = Parts(
        MortalEmbedder(life.embedder, fate),
        MortalStorage(home.memory / "chroma", fate),
    )
    database = await open_database(home)
    index = Index(lambda: parts, database=database, clock=clock)
    serving = asyncio.create_task(index.serve())
    await asyncio.sleep(0)
    await index.flush()
    while not index.health().ok:
        await clock.sleep(LOOK_SECONDS)
    held = {}
    for user in await Users(database, clock).list():
        found = await index.nearest(user.user_id, "memory", EVERYTHING)
        held[user.name] = sorted(each.memory_id for each in found)
    serving.cancel()
    await asyncio.wait((serving,))
    await database.close()
    return held


async def _serve(line: str) -> JsonValue:
    held = await serve(Life.model_validate_json(line))
    return {name: list(memory_ids) for name, memory_ids in held.items()}


def main() -> None:
    """Import what takes long, and fork a process for each line of standard input."""
    environment.prepare(Path(sys.argv[1]))
    for name in ("mem0.utils.factory", "mem0.vector_stores.chroma"):
        importlib.import_module(name)
    fork_lives(_serve)


if __name__ == "__main__":
    main()
