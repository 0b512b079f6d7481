"""Vectors in a local Chroma: one engine, a bounded number of collections.

A collection of one's own answers in 2 ms; one that is shared has to filter by user,
which takes 20 ms and more. Each collection that was touched keeps 3 MB resident, so
there are at most `SHARDS` of an index: a household has one each.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from gaia.errors import IndexDamagedError, IndexUnavailableError
from gaia.memory.index.chroma_engine import ChromaCollection, Engine, Payload
from gaia.memory.index.environment import ask_for_blank_memory
from gaia.memory.index.mark import DATABASE, FOLDER, Mark
from gaia.memory.index.parts import (
    CHROMA,
    USER,
    IndexStore,
    Placement,
    cosine_at,
    memory_id,
    vector_id,
)
from gaia.memory.owner import owner
from gaia.memory.protocols import Neighbour, Vector

SHARDS = 32
AT_ONCE = 500
NO_ROOM = ("disk is full", "no space left", "readonly database", "read-only file system")
"""Of what Chroma says, that which is not the fault of its files."""

VECTORS = "data_level0.bin"
"""Lies in a folder of its own for each collection, called after its segment."""

NAME = re.compile(r"gaia-(\d+)-(\d+)")
"""A collection is named after its index and its shard."""


class ChromaStorage:
    """Implements `Storage` in a folder. Nothing is opened before it is needed.

    Only one process may have it open: the daemon's lock sees to that. Files that are not
    known to be sound are not opened, see `gaia.memory.index.mark`.
    """

    def __init__(self, folder: Path, *, boot: str | None = None) -> None:
        self._folder = folder
        self._mark = Mark(folder, boot)
        self._engine: Engine | None = None
        self._opened: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        return CHROMA

    @property
    def shards(self) -> int:
        return SHARDS

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        with translated():
            self._connected()
        return ChromaStore(index_id, placement, self)

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        with translated():
            engine = self._connected()
            for name in engine.names():
                told = NAME.fullmatch(name)
                if told is not None and int(told[1]) not in index_ids:
                    engine.drop(name)
            self._sweep()

    def check(self) -> None:
        if self._engine is not None and self._opened != _identity(self._folder / DATABASE):
            raise IndexDamagedError(f"{str(self._folder)!r} was removed or replaced")

    def start_over(self) -> None:
        self._disconnect()
        with translated():
            self._clear()
            self._connected()

    def close(self) -> None:
        if self._disconnect():
            with suppress(IndexUnavailableError), translated():
                self._mark.end()

    def collection(self, name: str) -> ChromaCollection:
        """A collection, which is created if missing."""
        return self._connected().collection(name)

    def drop(self, name: str) -> None:
        """Remove a collection, if there is one."""
        engine = self._connected()
        if name in engine.names():
            engine.drop(name)
            self._sweep()

    def _disconnect(self) -> bool:
        """Close the engine; returns whether it was open, and the files are as it left them."""
        engine, self._engine = self._engine, None
        if engine is None:
            return False
        try:
            with translated():
                engine.close()
        except IndexUnavailableError:
            # Of a folder that is gone, closing tells nothing that is of use.
            return False
        return True

    def _sweep(self) -> None:
        """Delete the vectors of collections that are gone: Chroma leaves their folders."""
        with closing(sqlite3.connect(self._folder / DATABASE)) as database:
            known = {name for (name,) in database.execute("SELECT id FROM segments")}
        for vectors in self._folder.glob(f"*/{VECTORS}"):
            if vectors.parent.name not in known:
                shutil.rmtree(vectors.parent)

    def _clear(self) -> None:
        """Remove what is Chroma's and nothing else: the folder may be anybody's choice."""
        if not self._folder.is_dir():
            return
        for each in self._folder.iterdir():
            if each.name.startswith(DATABASE):
                each.unlink()
            elif FOLDER.fullmatch(each.name):
                shutil.rmtree(each)
        self._mark.remove()

    def _connected(self) -> Engine:
        if self._engine is None:
            if self._folder.exists() and not self._folder.is_dir():
                raise IndexUnavailableError(
                    f"the index is to be in {str(self._folder)!r}, which is no folder: move it away"
                )
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            ask_for_blank_memory()
            self._mark.check()
            self._mark.begin()
            self._engine = Engine(self._folder, self._mark)
            self._opened = _identity(self._folder / DATABASE)
        return self._engine


class ChromaStore:
    """Implements `IndexStore`: the collections of one index, opened as they are needed."""

    def __init__(self, index_id: int, placement: Placement, storage: ChromaStorage) -> None:
        self._index_id = index_id
        self._placement = placement
        self._storage = storage
        self._open: dict[int, ChromaCollection] = {}

    def put(self, user_id: str, vectors: Mapping[int, Vector]) -> None:
        shard = self._shard_of(user_id)
        if shard is None:
            raise IndexUnavailableError(f"user {user_id!r} has no shard: a mistake in gaia")

        if not vectors:
            return
        with translated():
            self._shard(shard).upsert(
                [vector_id(each) for each in vectors],
                [vector.tolist() for vector in vectors.values()],
                [{USER: user_id} for _ in vectors],
            )

    def remove(self, user_id: str, memory_ids: Sequence[int]) -> None:
        shard = self._shard_of(user_id)
        if shard is None or not memory_ids:
            return
        with translated():
            collection = self._shard(shard)
            found = collection.get(ids=list(map(vector_id, memory_ids)), include=["metadatas"])
            with_payloads = zip(found.ids, found.metadatas or [], strict=True)
            theirs = [each for each, said in with_payloads if said and said[USER] == user_id]
            _delete(collection, theirs)

    def drop_user(self, user_id: str) -> None:
        shard = self._shard_of(user_id)
        if shard is None:
            return
        if self._placement.is_alone(user_id):
            self._open.pop(shard, None)
            with translated():
                self._storage.drop(self._name(shard))
            return
        with translated():
            collection = self._shard(shard)
            _delete(collection, collection.get(where={USER: user_id}, include=[]).ids)

    def nearest(self, user_id: str, vector: Vector, limit: int) -> Sequence[Neighbour]:
        shard = self._shard_of(user_id)
        if shard is None:
            return []
        where: Payload | None = None if self._placement.is_alone(user_id) else {USER: user_id}
        with translated():
            found = self._shard(shard).query(vector.tolist(), limit, where)
        payloads, distances = found.metadatas or [[]], found.distances or [[]]
        return [
            Neighbour(memory_id(name), cosine_at(distance))
            for name, payload, distance in zip(found.ids[0], payloads[0], distances[0], strict=True)
            if payload and payload[USER] == user_id
        ]

    def count(self) -> int | None:
        with translated():
            return sum(self._shard(shard).count() for shard in self._placement.shards())

    def _shard_of(self, user_id: str) -> int | None:
        return self._placement.shard(owner(user_id))

    def _shard(self, shard: int) -> ChromaCollection:
        if shard not in self._open:
            opened = self._storage.collection(self._name(shard))
            # Vectors that are lost are silently not found, but not silently given.
            opened.get(limit=1, include=["embeddings"])
            self._open[shard] = opened
        return self._open[shard]

    def _name(self, shard: int) -> str:
        return f"gaia-{self._index_id}-{shard}"


def _delete(collection: ChromaCollection, ids: Sequence[str]) -> None:
    """Delete by ids alone: with a filter beside them, Chroma takes seconds for each."""
    for start in range(0, len(ids), AT_ONCE):
        collection.delete(list(ids[start : start + AT_ONCE]))


@contextmanager
def translated() -> Iterator[None]:
    """Raise what Chroma raises within the block in gaia's words. Its own panics are no
    `Exception`; whatever it is, the vectors can be rebuilt.

    Raises:
        IndexUnavailableError: The machine is out of something, or has it not.
        IndexDamagedError: Anything else.
    """
    try:
        yield
    except (ImportError, MemoryError, OSError) as exc:
        raise IndexUnavailableError(f"the index cannot be read or written: {exc}") from exc
    except IndexUnavailableError:
        raise
    except BaseException as exc:
        cause = f"{type(exc).__name__}: {exc}".splitlines()[0][:200]
        if any(each in str(exc).lower() for each in NO_ROOM):
            raise IndexUnavailableError(f"the index cannot be written ({cause})") from exc
        raise IndexDamagedError(f"the index does not work ({cause})") from exc


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to, None for none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
