"""What Chroma does with more vectors than it keeps in its queue."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from gaia.errors import IndexDamagedError
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.factories import Factories
from gaia.memory.index.parts import IndexStore, Placement

PERSISTED = 1100
"""Vectors, a little more than Chroma collects before it writes them to files of their own."""


def test_vectors_that_are_lost_are_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    chance = np.random.default_rng(7)
    vectors = chance.standard_normal((PERSISTED, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    folder = tmp_path / "chroma"
    storage = ChromaStorage(folder, Factories(tmp_path / "mem0"))
    placement = Placement({"ada": 0})
    store = storage.open(1, placement, 16)
    store.put("ada", dict(enumerate(vectors, start=1)))
    assert store.nearest("ada", vectors[0], 1)[0].memory_id == 1
    storage.close()
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
    store = storage.open(1, placement, 16)
    with pytest.raises(IndexDamagedError):
        store.nearest("ada", vectors[0], 1)
    with pytest.raises(IndexDamagedError):
        store.count()
    storage.start_over()
    store = storage.open(2, placement, 16)
    store.put("ada", {1: vectors[0]})
    assert store.nearest("ada", vectors[0], 1)[0].memory_id == 1
    storage.close()


def test_the_files_of_an_index_go_with_it_and_with_its_last_user(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    storage = ChromaStorage(folder, Factories(tmp_path / "mem0"))
    vector = np.ones(16, dtype=np.float32) / np.float32(4)
    placement = Placement({"ada": 0, "bob": 1})

    def fill(index_id: int) -> IndexStore:
        store = storage.open(index_id, placement, 16)
        for user_id in ("ada", "bob"):
            store.put(user_id, {1: vector})
            assert store.nearest(user_id, vector, 1)
        return store

    fill(1)
    store = fill(2)
    (folder / "somebody else's").mkdir()
    assert len(list(folder.glob("*/*.bin"))) == 4 * len(list(folder.glob("*/header.bin"))) == 16
    storage.keep_only([2], gone=[1])
    assert len(list(folder.glob("*/header.bin"))) == 2
    store.drop_user("bob")
    assert len(list(folder.glob("*/header.bin"))) == 1
    assert [each.memory_id for each in store.nearest("ada", vector, 1)] == [1]
    assert (folder / "somebody else's").exists()
    storage.close()


def test_a_collection_of_somebody_else_stays(tmp_path: Path) -> None:
    storage = ChromaStorage(tmp_path / "chroma", Factories(tmp_path / "mem0"))
    storage.open(1, Placement({"ada": 0}), 16).put("ada", {1: np.eye(16, dtype=np.float32)[0]})
    client = storage._connected()
    client.create_collection("recipes", embedding_function=None)
    storage.keep_only([2], gone=[1])
    assert [each.name for each in client.list_collections()] == ["recipes"]
    storage.close()
