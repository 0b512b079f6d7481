"""How long a search takes with many memories, and whether those of others matter."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import numpy as np
from recall_baselines import Vectors
from sqlalchemy import insert

from gaia.clock import SystemClock
from gaia.memory import text
from gaia.memory.index.chroma import SHARDS, ChromaStorage
from gaia.memory.index.parts import IndexStore, Placement
from gaia.memory.protocols import Neighbour
from gaia.memory.search.search import Search
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryTermRow
from gaia.store.opener import open_database
from gaia.store.people import identities

OWN = 10_000
OTHERS = 100
EACH = 1_000
QUESTIONS = 100
EMBEDDED = 400
"""Texts that are really embedded; the vectors of all others are near to one of these."""

BATCH = 500


class Asked:
    """Implements `Nearest` as the index does: the embedder and the store in a thread.
    `embedding` are the milliseconds that the embedder took for each question."""

    def __init__(self, vectors: Vectors, store: IndexStore) -> None:
        self.embedding: list[float] = []
        self._vectors = vectors
        self._store = store

    async def nearest(self, user_id: str, asked: str, limit: int) -> Sequence[Neighbour]:
        def search() -> Sequence[Neighbour]:
            started = time.perf_counter()
            vector = np.asarray(self._vectors.embed(asked, "search"), dtype=np.float32)
            self.embedding.append(1000 * (time.perf_counter() - started))
            return self._store.nearest(user_id, vector, limit)

        return await asyncio.to_thread(search)


async def measure_times(home: Home, lines: Sequence[str], asked: Sequence[str]) -> None:
    home.create()
    database, clock = await open_database(home), SystemClock()
    home.memory.mkdir(exist_ok=True)
    vectors = Vectors(home.memory / "mem0")
    storage = ChromaStorage(home.memory / "chroma")
    placement = Placement({})
    store = storage.open(1, placement, 384)
    filler = Filler(database, store, placement, lines, vectors)
    nearest = Asked(vectors, store)
    search = Search(database, nearest, clock)
    questions = asked[:: max(1, len(asked) // QUESTIONS)]
    ours = await filler.fill("own", OWN)
    await report(f"{OWN:,} memories of one person", search, nearest, ours, questions[::2])
    for number in range(OTHERS):
        await filler.fill(f"other {number}", EACH)
    await report(f"with {OTHERS * EACH:,} of others", search, nearest, ours, questions[1::2])
    await asyncio.to_thread(storage.close)
    await database.close()


async def report(
    name: str, search: Search, nearest: Asked, user_id: str, questions: Sequence[str]
) -> None:
    """The median over questions that the embedder has not seen, its own share included."""
    await search.hits(user_id, "a first question, to open what is opened once", limit=5)
    nearest.embedding.clear()
    taken = []
    for question in questions:
        started = time.perf_counter()
        await search.hits(user_id, question, limit=10)
        taken.append(1000 * (time.perf_counter() - started))
    slow = statistics.quantiles(taken, n=20)[-1]
    embedder = statistics.median(nearest.embedding)
    print(
        f"{name}: median {statistics.median(taken):.1f} ms, 95 of 100 below {slow:.1f} ms; "
        f"the embedder alone {embedder:.1f} ms",
        flush=True,
    )


class Filler:
    """Writes memories as the ledger does, many at a time."""

    def __init__(
        self,
        database: Database,
        store: IndexStore,
        placement: Placement,
        lines: Sequence[str],
        vectors: Vectors,
    ) -> None:
        self._database = database
        self._store = store
        self._placement = placement
        self._lines = lines
        self._random = np.random.default_rng(0)
        sample = lines[:: max(1, len(lines) // EMBEDDED)]
        self._centres = np.stack([vectors.vector(line, "add") for line in sample])
        self._written = 0
        self._users = 0

    async def fill(self, name: str, count: int) -> str:
        clock = SystemClock()
        now = clock.now()
        user = await self._database.write(identities.create, name, identities.Role.MEMBER, now=now)
        self._placement.put(user.user_id, self._users % SHARDS)
        self._users += 1
        for _ in range(0, count, BATCH):
            rows = [self._row(user.user_id, now) for _ in range(BATCH)]
            found = [(row["memory_id"], text.terms(str(row["text"]))) for row in rows]
            terms = [
                {"user_id": user.user_id, "term": term, "memory_id": memory_id, "count": number}
                for memory_id, counts in found
                for term, number in counts.items()
            ]
            with self._database.writing() as session:
                session.execute(insert(MemoryRow), rows)
                session.execute(insert(MemoryTermRow), terms)
            moved = self._centres[self._random.integers(len(self._centres), size=BATCH)]
            moved = moved + self._random.normal(0, 0.02, moved.shape).astype(np.float32)
            moved /= np.linalg.norm(moved, axis=1, keepdims=True)
            ids = [int(str(row["memory_id"])) for row in rows]
            put = partial(self._store.put, user.user_id, dict(zip(ids, moved, strict=True)))
            await asyncio.to_thread(put)
        return user.user_id

    def _row(self, user_id: str, now: object) -> dict[str, object]:
        self._written += 1
        line = f"{self._lines[self._written % len(self._lines)]} {self._written % 997}"
        said_at = SystemClock().now() - timedelta(hours=self._written)
        return {
            "memory_id": self._written,
            "user_id": user_id,
            "text": line,
            "source": MemorySource.IMPORT,
            "valid_from": said_at,
            "session_id": str(self._written // 30),
            "position": self._written % 30,
            "hash": f"{self._written:064d}",
            "length": sum(text.terms(line).values()),
            "created_at": now,
            "updated_at": now,
        }
