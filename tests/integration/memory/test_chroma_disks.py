"""Chroma on a disk that is full, behind a link, and where there is no folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from gaia.errors import IndexDamagedError, IndexUnavailableError
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.parts import IndexStore, Placement
from gaia.memory.protocols import Vector

DIMENSIONS = 16


@pytest.fixture
def vectors() -> dict[int, Vector]:
    chance = np.random.default_rng(7).standard_normal((300, DIMENSIONS)).astype(np.float32)
    return dict(enumerate(chance / np.linalg.norm(chance, axis=1, keepdims=True), start=1))


def opened(storage: ChromaStorage) -> IndexStore:
    return storage.open(1, Placement({"ada": 0}), DIMENSIONS)


def fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(4096))


def test_a_full_disk_is_told_and_costs_no_vector(small_disk, tmp_path, vectors):
    storage = ChromaStorage(small_disk / "chroma")
    store = opened(storage)
    store.put("ada", {1: vectors[1]})
    fill(small_disk)
    with pytest.raises(IndexUnavailableError, match="disk is full") as told:
        store.put("ada", vectors)
    assert not isinstance(told.value, IndexDamagedError)
    storage.close()
    with pytest.raises(IndexUnavailableError, match="No space left") as told:
        opened(storage)
    assert not isinstance(told.value, IndexDamagedError)
    (small_disk / "ballast").unlink()
    assert opened(storage).nearest("ada", vectors[1], 1)[0].memory_id == 1
    storage.close()


def test_what_is_damaged_behind_a_link_is_made_again_there(tmp_path, vectors):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "chroma").symlink_to(elsewhere)
    (elsewhere / "chroma.sqlite3").write_bytes(b"no database at all")
    storage = ChromaStorage(tmp_path / "chroma")
    for _ in range(2):
        with pytest.raises(IndexDamagedError, match="not a database"):
            opened(storage)
    storage.start_over()
    opened(storage).put("ada", vectors)
    assert (elsewhere / "chroma.sqlite3").stat().st_size > 10_000
    storage.close()


def test_starting_over_leaves_the_files_of_others(tmp_path, vectors):
    theirs = tmp_path / "letters" / "to-bob"
    theirs.parent.mkdir()
    theirs.write_text("Dear Bob")
    storage = ChromaStorage(tmp_path)
    opened(storage).put("ada", vectors)
    storage.start_over()
    assert opened(storage).count() == 0
    assert theirs.read_text() == "Dear Bob"
    storage.close()


def test_a_file_in_the_folders_place_is_named(tmp_path):
    (tmp_path / "chroma").write_text("mine")
    storage = ChromaStorage(tmp_path / "chroma")
    with pytest.raises(IndexUnavailableError, match=r"chroma', which is no folder: move it away"):
        opened(storage)
    with pytest.raises(IndexUnavailableError, match="no folder"):
        storage.start_over()
    assert (tmp_path / "chroma").read_text() == "mine"
