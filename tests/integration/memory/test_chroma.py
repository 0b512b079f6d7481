"""What Chroma does with more vectors than it keeps in its queue."""

from __future__ import annotations

import ctypes
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from chromadb.api.client import Client
from chromadb.config import Settings

from gaia.errors import IndexDamagedError
from gaia.memory.index import mark
from gaia.memory.index.chroma import SHARDS, ChromaStorage
from gaia.memory.index.parts import IndexStore, Placement

PERSISTED = 1100
"""Vectors, a little more than Chroma collects before it writes them to files of their own."""

SECRET = b"Ada has a secret. "
BLOCK_BYTES = 180_000
"""A little more than Chroma's block for its first hundred vectors."""

BLOCKS = 20
THREADS = 24
"""More than the C library has heaps for: Chroma's threads get one that was used before."""


def test_vectors_that_are_lost_are_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    chance = np.random.default_rng(7)
    vectors = chance.standard_normal((PERSISTED, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    folder = tmp_path / "chroma"
    storage = ChromaStorage(folder)
    placement = Placement({"ada": 0})
    store = storage.open(1, placement, 16)
    store.put("ada", dict(enumerate(vectors, start=1)))
    assert store.nearest("ada", vectors[0], 1)[0].memory_id == 1
    storage.close()
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
    with pytest.raises(IndexDamagedError, match="not as gaia left them"):
        storage.open(1, placement, 16)
    # An earlier gaia left no mark, by which that is seen before anything is opened.
    (folder / mark.NAME).unlink()
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


def test_all_collections_that_there_can_be_stay_open(tmp_path: Path) -> None:
    storage = ChromaStorage(tmp_path / "chroma")
    vector = np.ones(16, dtype=np.float32) / np.float32(4)
    people = {f"user {shard}": shard for shard in range(SHARDS)}
    # One index is searched, and the next one built.
    stores = [storage.open(index_id, Placement(people), 16) for index_id in (1, 2)]
    for user_id in people:
        for store in stores:
            store.put(user_id, {1: vector})
            assert len(store.nearest(user_id, vector, 1)) == 1
    found = [store.nearest(user_id, vector, 1) for user_id in people for store in stores]
    assert all(found)
    storage.close()


def test_the_files_of_an_index_go_with_it_and_with_its_last_user(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    storage = ChromaStorage(folder)
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
    folder = str(tmp_path / "chroma")
    storage = ChromaStorage(tmp_path / "chroma")
    storage.open(1, Placement({"ada": 0}), 16).put("ada", {1: np.eye(16, dtype=np.float32)[0]})
    storage.collection("recipes").upsert(["tea"], [[0.6, 0.8]], [{"for": "one"}])
    storage.keep_only([2], gone=[1])
    storage.close()
    # Chroma's own client finds it there.
    client = Client(settings=Settings(is_persistent=True, persist_directory=folder))
    assert [each.name for each in client.list_collections()] == ["recipes"]
    assert client.get_collection("recipes", embedding_function=None).get()["ids"] == ["tea"]
    client.close()


def speak_in_memory() -> None:
    """Leave a secret in freed memory, in all heaps of the process."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
    # Once so large a block was freed, smaller ones are no longer given back to the system.
    libc.free(libc.malloc(8_000_000))
    together = threading.Barrier(THREADS)

    def speak() -> None:
        together.wait()
        blocks = [libc.malloc(BLOCK_BYTES) for _ in range(BLOCKS)]
        end = libc.malloc(100)
        for block in blocks:
            ctypes.memmove(block, SECRET * (BLOCK_BYTES // len(SECRET)), BLOCK_BYTES - 100)
            libc.free(block)
        together.wait()
        libc.free(end)

    threads = [threading.Thread(target=speak) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.skipif(sys.platform != "linux", reason="tells of glibc")
def test_no_memory_of_the_process_gets_into_the_files_of_vectors(tmp_path: Path) -> None:
    speak_in_memory()
    storage = ChromaStorage(tmp_path / "chroma")
    store = storage.open(1, Placement({"ada": 0}), 384)
    store.put("ada", {1: np.ones(384, dtype=np.float32)})
    storage.close()
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert any(each.stat().st_size > len(SECRET) for each in files)
    assert [each.name for each in files if SECRET in each.read_bytes()] == []
