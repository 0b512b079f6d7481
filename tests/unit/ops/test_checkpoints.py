"""Write-ahead logs are emptied once they have grown, and it is said when they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.errors import StoreError
from gaia.ops.checkpoints import LONG_BYTES, MEGABYTE, SHORT_BYTES, Checkpoints


class Store:
    """A database whose write-ahead log has a length, in a file with holes."""

    def __init__(self, folder: Path, name: str, wal_bytes: int, *, is_read: bool = False) -> None:
        self.path = folder / name
        self._wal = folder / f"{name}-wal"
        self._is_read = is_read
        with self._wal.open("wb") as file:
            file.truncate(wal_bytes)

    @property
    def length(self) -> int:
        return self._wal.stat().st_size

    async def checkpoint(self) -> bool:
        if not self._is_read:
            self._wal.write_bytes(b"")
        return not self._is_read


def checkpoints(store: Store) -> Checkpoints:
    return Checkpoints(store.path, store)


async def test_what_has_grown_is_emptied_and_what_is_short_is_left_alone(tmp_path):
    short, long = Store(tmp_path, "a.db", SHORT_BYTES), Store(tmp_path, "b.db", SHORT_BYTES + 1)
    await checkpoints(short).run()
    await checkpoints(long).run()
    assert (short.length, long.length) == (SHORT_BYTES, 0)
    await checkpoints(short).empty()
    assert short.length == 0


async def test_one_that_grows_and_cannot_be_emptied_is_an_error(tmp_path):
    held = Store(tmp_path, "gaia.db", LONG_BYTES + MEGABYTE, is_read=True)
    with pytest.raises(StoreError, match=r"of gaia\.db has 65 MB"):
        await checkpoints(held).run()


async def test_one_that_cannot_be_emptied_yet_waits_for_the_next_time(tmp_path):
    await checkpoints(Store(tmp_path, "gaia.db", LONG_BYTES, is_read=True)).run()


async def test_a_database_without_one_is_left_alone(tmp_path):
    store = Store(tmp_path, "gaia.db", 0)
    (tmp_path / "gaia.db-wal").unlink()
    await checkpoints(store).empty()
