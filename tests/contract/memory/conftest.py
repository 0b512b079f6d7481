"""The stores that the contract of `IndexStore` holds for."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.factories import Factories
from gaia.memory.index.parts import IndexStore, Placement, Storage
from gaia.memory.index.pgvector import PgvectorStorage
from gaia.memory.index.shared import SharedStorage
from gaia.testing.fake_index import DIMENSIONS, FakeStorage

STORES = ("fake", "chroma", "qdrant", "pgvector")


@pytest.fixture(autouse=True)
def clients_that_nobody_closes() -> Iterator[None]:
    """mem0 never closes the clients that it makes: a connection of one is collected here,
    and not as the failure of some later test. What is left then stays: none of the next
    collections looks through it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.freeze()


class StoreRig:
    """A store whose users have shards: Ada one of her own, Bob and Cid one together."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.placement = Placement({"ada": 0, "bob": 1, "cid": 1})

    def open(self, index_id: int = 1) -> IndexStore:
        return self.storage.open(index_id, self.placement, DIMENSIONS)


@pytest.fixture(params=STORES)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreRig]:
    factories = Factories(tmp_path / "mem0")
    storage: Storage
    match request.param:
        case "fake":
            storage = FakeStorage()
        case "chroma":
            storage = ChromaStorage(tmp_path / "chroma")
        case "pgvector":
            url = request.getfixturevalue("postgres").database()
            storage = PgvectorStorage(url, {}, tmp_path, factories)
        case provider:
            storage = SharedStorage(provider, {}, tmp_path, factories)
    yield StoreRig(storage)
    storage.close()
