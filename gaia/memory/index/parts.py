"""What an index is made of, as the index sees it: an embedder, and a place for vectors, each
asked with patience that ends; and what it was made with, read back from its fingerprint,
without loading any of it.

A vector carries its user's id and no text, so that nothing forgotten can linger in an index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar
from uuid import UUID

from gaia.clock import within
from gaia.errors import IndexUnavailableError
from gaia.memory.index.factories import AUTO
from gaia.memory.protocols import Embedder, Neighbour, Vector
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import ComponentSettings, MemorySettings
from gaia.threads import DaemonThreadPool

PATIENCE_SECONDS = 180.0
"""How long a step may take: loading everything from a slow card takes a minute."""

REMOTE_CHROMA = ("host", "tenant")
"""Options of a Chroma that is a server."""

CHROMA = "chroma"
OF_AUTO = (CHROMA, "pgvector")
"""The stores that gaia chooses from where the settings say `auto`."""

USER = "user_id"
"""The one field of a vector's payload, by which mem0's stores filter."""

SHAPE = re.compile(r"(?P<provider>[^/]+)/(?P<model>.*)/(?P<dimensions>\d+) in (?P<storage>.+)")

T = TypeVar("T")


class Placement:
    """Which shard of one index holds whom: a mirror of what the database has.

    Changed by the index alone, read by its store in other threads.
    """

    def __init__(self, shards: Mapping[str, int]) -> None:
        self._shards = dict(shards)

    def shard(self, user_id: str) -> int | None:
        """The user's shard, None for somebody who has no vectors."""
        return self._shards.get(user_id)

    def is_alone(self, user_id: str) -> bool:
        """Whether nobody else has vectors in the user's shard."""
        shard = self._shards.get(user_id)
        return sum(1 for each in tuple(self._shards.values()) if each == shard) == 1

    def shards(self) -> frozenset[int]:
        """All that hold anybody."""
        return frozenset(self._shards.values())

    def put(self, user_id: str, shard: int) -> None:
        """Note a user's shard."""
        self._shards = {**self._shards, user_id: shard}

    def discard(self, user_id: str) -> None:
        """Note that a user has none any more."""
        self._shards = {key: shard for key, shard in self._shards.items() if key != user_id}


class IndexStore(Protocol):
    """The vectors of one index, of all users, with no text. Its methods block.

    Each raises `MissingOwnerError` for an empty user id, and `IndexUnavailableError`
    when the store does not work.
    """

    def put(self, user_id: str, vectors: Mapping[int, Vector]) -> None:
        """Store the vectors of the user's memories, by memory id. Idempotent."""
        ...

    def remove(self, user_id: str, memory_ids: Sequence[int]) -> None:
        """Remove the vectors of these memories, where there are any. Idempotent."""
        ...

    def drop_user(self, user_id: str) -> None:
        """Remove every vector of the user. Idempotent."""
        ...

    def nearest(self, user_id: str, vector: Vector, limit: int) -> Sequence[Neighbour]:
        """The user's memories nearest to `vector`, the nearest first."""
        ...

    def count(self) -> int | None:
        """How many there are, of all users; None when that cannot be told cheaply."""
        ...


class Storage(Protocol):
    """Where the vectors of all indexes lie. Its methods block.

    Each raises `IndexUnavailableError` when it does not work, and `IndexDamagedError`
    when what it holds is lost.
    """

    @property
    def name(self) -> str:
        """What it is, such as `chroma`."""
        ...

    @property
    def shards(self) -> int:
        """Into how many parts an index is cut, at most."""
        ...

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        """The vectors of an index, with `dimensions` numbers each."""
        ...

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        """Remove all indexes but these, so far as they can be told; those of `gone`, which
        were given up just now, certainly."""
        ...

    def check(self) -> None:
        """Raise `IndexDamagedError` if what it holds was taken away under it."""
        ...

    def start_over(self) -> None:
        """Remove everything, whatever state it is in, and be ready again."""
        ...

    def close(self) -> None:
        """Release the files."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """An embedder and a storage, ready for use."""

    embedder: Embedder
    storage: Storage


OpenParts = Callable[[], Parts]
"""Loads what is configured. Blocks, for seconds. Raises `IndexUnavailableError`."""


class TimedPool:
    """A pool whose calls are given up in the end. `what` they are about is for people."""

    def __init__(self, pool: DaemonThreadPool, clock: Clock, *, what: str) -> None:
        self._pool = pool
        self._clock = clock
        self._what = what

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns or raises.

        Raises:
            IndexUnavailableError: It takes too long, or an earlier one still does.
        """
        if self._pool.exhausted:
            raise IndexUnavailableError(f"{self._what} hangs: if it stays so, restart gaia")
        try:
            return await within(self._clock, PATIENCE_SECONDS, self._pool.run(call))
        except TimeoutError as exc:
            raise IndexUnavailableError(
                f"{self._what} took longer than {PATIENCE_SECONDS:.0f} s"
            ) from exc

    def close(self) -> None:
        """Let the threads end once they are idle."""
        self._pool.close()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts of a fingerprint."""

    provider: str
    model: str
    dimensions: int
    storage: str

    def fits(self, memory: MemorySettings) -> bool:
        """Whether these settings may have made it. What they leave to the embedder is not
        known here: its model and its size, as a rule."""
        config = memory.embedder.config
        store = memory.vector_store.provider
        return (
            self.provider == memory.embedder.provider
            and self.storage in (OF_AUTO if store == AUTO else (store,))
            and config.get("model") in (None, self.model)
            and config.get("embedding_dims") in (None, self.dimensions)
        )

    def __str__(self) -> str:
        return f"{self.provider} {self.model}, {self.dimensions} numbers, in {self.storage}"


def local_chroma(home: Home, vector_store: ComponentSettings) -> Path | None:
    """The folder of a Chroma that gaia opens itself, None where the settings name another
    store. That of `auto` is in use where there is no PostgreSQL that could take the vectors."""
    config = vector_store.config
    is_remote = any(config.get(each) for each in REMOTE_CHROMA)
    if is_remote or vector_store.provider not in (CHROMA, AUTO):
        return None
    return home.memory / str(config.get("path") or "chroma")


def read_fingerprint(text: str) -> Fingerprint | None:
    """Its parts; None for one of another gaia, or of an index that was given up."""
    found = SHAPE.fullmatch(text)
    if found is None:
        return None
    return Fingerprint(
        found["provider"], found["model"], int(found["dimensions"]), found["storage"]
    )


def vector_id(memory_id: int) -> str:
    """The id of a memory's vector: a UUID, since several stores take nothing else."""
    return str(UUID(int=memory_id))


def memory_id(vector_id: str) -> int:
    """The memory whose vector it is."""
    return UUID(vector_id).int


def cosine(score: float) -> float:
    """The cosine of two unit vectors from mem0's score over Chroma, which is 1 / (1 + d)."""
    return cosine_at(1.0 / score - 1.0) if score > 0.0 else -1.0


def cosine_at(distance: float) -> float:
    """The cosine of two unit vectors from Chroma's distance, its square: 2 - 2 cos."""
    return max(-1.0, min(1.0, 1.0 - distance / 2.0))
