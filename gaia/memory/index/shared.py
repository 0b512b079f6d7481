"""Vectors in any other store of mem0: one collection an index, filtered by user."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from gaia.errors import IndexUnavailableError, MissingOwnerError, StoreError
from gaia.memory.index.factories import Factories, Hit, Options, Vectors
from gaia.memory.index.parts import (
    CHROMA,
    USER,
    IndexStore,
    Placement,
    cosine,
    memory_id,
    vector_id,
)
from gaia.memory.owner import owner
from gaia.memory.protocols import Neighbour, Vector

AT_ONCE = 1000
"""Vectors listed at a time when a user's are removed."""

ANYBODY = "*"
"""What mem0's filters take for every value: no user has it as their id."""


class SharedStorage:
    """Implements `Storage`: vectors of all users together, as mem0 itself keeps them.

    A store that keeps files and is not told where has them in `folder`.
    """

    def __init__(self, provider: str, options: Options, folder: Path, factories: Factories) -> None:
        self._provider = provider
        self._options = options
        self._folder = folder
        self._factories = factories
        self._client: object | None = None

    @property
    def name(self) -> str:
        return self._provider

    @property
    def shards(self) -> int:
        return 1

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        return SharedStore(self._provider, self._collection(index_id, dimensions))

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        for index_id in gone:
            # It exists, so the size of its vectors is what it is.
            collection = self._collection(index_id, 1)
            with translated(self._provider):
                collection.delete_col()

    def check(self) -> None:
        """What another process holds does not vanish without an error of its own."""

    def start_over(self) -> None:
        """Each index has a collection of its own: the next one begins empty."""

    def close(self) -> None:
        client, self._client = self._client, None
        close = getattr(client, "close", None)
        if callable(close):
            with translated(self._provider):
                close()

    def _collection(self, index_id: int, dimensions: int) -> Vectors:
        options: dict[str, object] = {**self._options, "collection_name": self._name(index_id)}
        if self._client is not None:
            # A second client of the same files would find them locked.
            options["client"] = self._client
        collection = self._made(options, dimensions)
        self._client = self._client or getattr(collection, "client", None)
        return collection

    def _name(self, index_id: int) -> str:
        return f"{self._options.get('collection_name', 'gaia')}_{index_id}"

    def _made(self, options: Mapping[str, object], dimensions: int) -> Vectors:
        with translated(self._provider):
            return self._factories.vectors(self._provider, options, dimensions, folder=self._folder)


class SharedStore:
    """Implements `IndexStore` over one collection."""

    def __init__(self, provider: str, collection: Vectors) -> None:
        self._provider = provider
        self._collection = collection

    def put(self, user_id: str, vectors: Mapping[int, Vector]) -> None:
        payload = _theirs(user_id)
        # Several stores keep what has the id already, or refuse the new one.
        self._delete(map(vector_id, vectors))
        if not vectors:
            return
        with translated(self._provider):
            self._collection.insert(
                [vector.tolist() for vector in vectors.values()],
                [payload for _ in vectors],
                [vector_id(each) for each in vectors],
            )

    def remove(self, user_id: str, memory_ids: Sequence[int]) -> None:
        owner(user_id)
        self._delete(each for each in map(vector_id, memory_ids) if self._owner_of(each) == user_id)

    def drop_user(self, user_id: str) -> None:
        while found := self._of(user_id):
            self._delete(str(hit.id) for hit in found)

    def nearest(self, user_id: str, vector: Vector, limit: int) -> Sequence[Neighbour]:
        filters = _theirs(user_id)
        with translated(self._provider):
            hits = self._collection.search("", vector.tolist(), top_k=limit, filters=filters)
        theirs = [hit for hit in hits if (hit.payload or {}).get(USER) == user_id]
        return [Neighbour(memory_id(str(hit.id)), self._similarity(hit)) for hit in theirs]

    def count(self) -> int | None:
        return None

    def _similarity(self, hit: Hit) -> float:
        """The cosine, by which all stores but mem0's Chroma score."""
        score = hit.score or 0.0
        return cosine(score) if self._provider == CHROMA else score

    def _of(self, user_id: str) -> Sequence[Hit]:
        filters = _theirs(user_id)
        with translated(self._provider):
            return _first(self._collection.list(filters=filters, top_k=AT_ONCE))

    def _owner_of(self, vector: str) -> object:
        with translated(self._provider):
            hit = self._collection.get(vector)
        return (hit.payload or {}).get(USER) if hit is not None else None

    def _delete(self, vectors: Iterable[str]) -> None:
        for each in vectors:
            with translated(self._provider):
                self._collection.delete(each)


def _theirs(user_id: str) -> Mapping[str, str]:
    if user_id == ANYBODY:
        raise MissingOwnerError(f"mem0 takes the user id {ANYBODY!r} for anybody")
    return {USER: owner(user_id)}


@contextmanager
def translated(provider: str) -> Iterator[None]:
    """Raise what a store raises within the block in gaia's words.

    Raises:
        IndexUnavailableError: Whatever the store, or mem0, says is wrong.
    """
    try:
        yield
    except IndexUnavailableError:
        raise
    except StoreError as exc:
        raise IndexUnavailableError(f"the vector store does not work: {exc}") from exc
    except Exception as exc:
        raise IndexUnavailableError(
            f"the vector store {provider!r} does not work ({type(exc).__name__}): look at "
            "memory.vector_store, and at the log"
        ) from exc


def _first(listed: object) -> Sequence[Hit]:
    """The hits: mem0's stores give them bare, or as the first of several things."""
    while isinstance(listed, (list, tuple)) and listed and isinstance(listed[0], (list, tuple)):
        listed = listed[0]
    return [hit for hit in listed if hasattr(hit, "id")] if isinstance(listed, list) else []
