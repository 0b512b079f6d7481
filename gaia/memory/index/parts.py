"""What an index is made of, as the index sees it: an embedder, and a place for vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from gaia.memory.seams import Embedder, VectorStore


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


class IndexStore(VectorStore, Protocol):
    """The vectors of one index."""

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
