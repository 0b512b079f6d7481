"""Chroma's engine, typed, without its client: that one's package imports gRPC, OpenTelemetry
and the settings of a server, 20 MB for nothing that an index on this machine uses.

What is asked of it here is what the client asks, and the files are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gaia.memory.index.environment import be_modest
from gaia.memory.index.mark import DATABASE, Mark

PARTS_OF_CACHE = 64
OPEN_COLLECTIONS = 128 * PARTS_OF_CACHE
"""The engine keeps the vectors of so many in memory, in parts of the same size: what is pushed out
of a full one is not found until the next start. Which part a collection gets is chance, and each
has room for more than there are."""
WHERE = ("default_tenant", "default_database")
"""Chroma's names for the one place where everything is."""

Payload = Mapping[str, str]


class Found(Protocol):
    """Some entries of a collection."""

    ids: list[str]
    metadatas: list[Payload | None] | None


class Nearest(Protocol):
    """For each vector that was asked for, the entries nearest to it."""

    ids: list[list[str]]
    metadatas: list[list[Payload | None]] | None
    distances: list[list[float]] | None


class Bindings:
    """Chroma's native code: each call of it is marked as its work."""

    def __init__(self, bindings: Any, mark: Mark) -> None:
        self._bindings = bindings
        self._mark = mark

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*values: object) -> Any:
            with self._mark.at_work():
                return getattr(self._bindings, name)(*values)

        return call

    def close(self) -> None:
        """Release the files."""
        with self._mark.at_work():
            self._bindings = None


class Engine:
    """An open folder of Chroma's: collections by name. It raises whatever Chroma does."""

    def __init__(self, folder: Path, mark: Mark) -> None:
        be_modest()
        import chromadb_rust_bindings as chroma  # type: ignore[import-untyped]

        database = chroma.SqliteDBConfig(
            url=str(folder / DATABASE),
            hash_type=chroma.MigrationHash.MD5,
            migration_mode=chroma.MigrationMode.Apply,
        )
        with mark.at_work():
            opened = chroma.Bindings(
                allow_reset=False,
                sqlite_db_config=database,
                persist_path=str(folder),
                hnsw_cache_size=OPEN_COLLECTIONS,
            )
        self.bindings = Bindings(opened, mark)

    def names(self) -> Sequence[str]:
        """The names of all collections."""
        return [each.name for each in self.bindings.list_collections(None, None, *WHERE)]

    def collection(self, name: str) -> ChromaCollection:
        """A collection, which is created if missing. Its embeddings are made elsewhere."""
        made = self.bindings.create_collection(name, "{}", None, None, True, *WHERE)
        return ChromaCollection(self, str(made.id))

    def drop(self, name: str) -> None:
        """Remove a collection."""
        self.bindings.delete_collection(name, *WHERE)

    def close(self) -> None:
        """Release the files. No collection can be used after it."""
        self.bindings.close()


@dataclass(frozen=True, slots=True)
class ChromaCollection:
    """The vectors of a collection, with a payload for each."""

    engine: Engine
    collection_id: str

    def upsert(
        self, ids: list[str], embeddings: list[list[float]], payloads: list[Payload]
    ) -> None:
        """Put vectors in, also in the place of those that have their ids."""
        self.engine.bindings.upsert(
            self.collection_id, ids, embeddings, payloads, None, None, *WHERE
        )

    def get(
        self,
        *,
        include: list[str],
        ids: list[str] | None = None,
        where: Payload | None = None,
        limit: int | None = None,
    ) -> Found:
        """The entries with these ids, or with a payload as `where` has it."""
        found: Found = self.engine.bindings.get(
            self.collection_id, ids, _json(where), limit, 0, None, include, *WHERE
        )
        return found

    def query(self, vector: list[float], limit: int, where: Payload | None) -> Nearest:
        """The entries nearest to a vector, with payloads and distances."""
        include = ["metadatas", "distances"]
        nearest: Nearest = self.engine.bindings.query(
            self.collection_id, None, [vector], limit, _json(where), None, include, *WHERE
        )
        return nearest

    def delete(self, ids: list[str]) -> None:
        """Remove the entries with these ids."""
        self.engine.bindings.delete(self.collection_id, ids, None, None, None, *WHERE)

    def count(self) -> int:
        """How many entries there are."""
        counted: int = self.engine.bindings.count(self.collection_id, *WHERE)
        return counted


def _json(where: Payload | None) -> str | None:
    return json.dumps(where) if where else None
