"""A vector index in memory: an embedder of hashed words, a store, and both at work."""

from __future__ import annotations

import hashlib
import math
import threading
from array import array
from collections.abc import Collection, Mapping, Sequence
from operator import mul

from gaia.errors import IndexDamagedError, IndexUnavailableError
from gaia.memory import text as texts
from gaia.memory.index.parts import IndexStore, Placement
from gaia.memory.owner import owner
from gaia.memory.protocols import Neighbour, Vector

DIMENSIONS = 256


class FakeEmbedder:
    """Texts that share words are near; the same text has always the same vector.

    While `broken` holds a cause, every call fails with it. `asked` are the texts that
    were embedded, in order, queries and passages alike.
    """

    def __init__(self, model: str = "words") -> None:
        self.broken = ""
        self.asked: list[str] = []
        self._model = model

    @property
    def fingerprint(self) -> str:
        return f"fake/{self._model}/{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def query(self, text: str) -> Vector:
        return self.passages([text])[0]

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self.broken:
            raise IndexUnavailableError(self.broken)
        self.asked += texts
        return [bag_of_words(text, salt=self._model) for text in texts]


class FakeVectorStore:
    """Vectors in a dictionary, compared one by one.

    While `broken` holds a cause, every call fails with it.
    """

    def __init__(self) -> None:
        self.broken = ""
        self._vectors: dict[str, dict[int, Vector]] = {}
        self._lock = threading.Lock()

    def put(self, user_id: str, vectors: Mapping[int, Vector]) -> None:
        self._check(user_id)
        with self._lock:
            self._vectors.setdefault(user_id, {}).update(vectors)

    def remove(self, user_id: str, memory_ids: Sequence[int]) -> None:
        self._check(user_id)
        with self._lock:
            for memory_id in memory_ids:
                self._vectors.get(user_id, {}).pop(memory_id, None)

    def drop_user(self, user_id: str) -> None:
        self._check(user_id)
        with self._lock:
            self._vectors.pop(user_id, None)

    def nearest(self, user_id: str, vector: Vector, limit: int) -> Sequence[Neighbour]:
        self._check(user_id)
        with self._lock:
            found = [
                Neighbour(memory_id, sum(map(mul, known, vector)))
                for memory_id, known in self._vectors.get(user_id, {}).items()
            ]
        return sorted(found, key=lambda each: (-each.similarity, each.memory_id))[:limit]

    def count(self) -> int | None:
        return sum(len(theirs) for theirs in self._vectors.values())

    def held(self, user_id: str) -> frozenset[int]:
        """The memories of the user that have a vector."""
        with self._lock:
            return frozenset(self._vectors.get(user_id, {}))

    def _check(self, user_id: str) -> None:
        owner(user_id)
        if self.broken:
            raise IndexUnavailableError(self.broken)


class FakeStorage:
    """Implements `Storage` in memory: what it holds outlives the index that uses it.

    While `broken` holds a cause, every call fails with it. `lose` is what deleting the
    folder is to a real one.
    """

    def __init__(self, *, shards: int = 4) -> None:
        self.broken = ""
        self.stores: dict[int, FakeVectorStore] = {}
        self.opened = 0
        self.closed = 0
        self._shards = shards
        self._is_lost = False

    @property
    def name(self) -> str:
        return "memory"

    @property
    def shards(self) -> int:
        return self._shards

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        self.check()
        self.opened += 1
        return self.stores.setdefault(index_id, FakeVectorStore())

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        self.check()
        for index_id in set(self.stores) - set(index_ids):
            del self.stores[index_id]

    def check(self) -> None:
        if self.broken:
            raise IndexUnavailableError(self.broken)
        if self._is_lost:
            raise IndexDamagedError("what was stored is gone")

    def start_over(self) -> None:
        self._is_lost = False
        self.stores = {}
        self.check()

    def close(self) -> None:
        self.closed += 1

    def lose(self) -> None:
        """Take away what it holds, under whoever uses it."""
        self._is_lost = True

    def held(self, user_id: str) -> frozenset[int]:
        """The memories of the user that have a vector in any index."""
        return frozenset[int]().union(*(store.held(user_id) for store in self.stores.values()))


class FakeNearest:
    """Implements `Nearest` over the two above, for tests that need no index.

    While `broken` holds a cause, every search fails with it.
    """

    def __init__(self) -> None:
        self.broken = ""
        self.embedder = FakeEmbedder()
        self.store = FakeVectorStore()

    def learn(self, user_id: str, memories: Mapping[int, str]) -> None:
        """Index texts of the user, by memory id."""
        vectors = self.embedder.passages(list(memories.values()))
        self.store.put(user_id, dict(zip(memories, vectors, strict=True)))

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        owner(user_id)
        if self.broken:
            raise IndexUnavailableError(self.broken)
        return self.store.nearest(user_id, self.embedder.query(text), limit)


def bag_of_words(text: str, *, salt: str = "", dimensions: int = DIMENSIONS) -> Vector:
    """The unit vector of a text's words, each at a place that only `salt` and its letters
    decide."""
    numbers = [0.0] * dimensions
    for word in texts.normalise(text).split() or [""]:
        digest = hashlib.blake2b(f"{salt} {word}".encode(errors="replace"), digest_size=8).digest()
        numbers[int.from_bytes(digest, "big") % dimensions] += 1.0
    length = math.hypot(*numbers)
    return array("f", [number / length for number in numbers])
