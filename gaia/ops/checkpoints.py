"""The write-ahead log: emptied before it grows so long that a write waits for it.

SQLite moves what is in it into the database by itself, but not while somebody reads, and
the file keeps its size. A log that grows on and on makes every read slower.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Protocol

from gaia.errors import StoreError

logger = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024

SHORT_BYTES = 8 * MEGABYTE
"""Below that there is nothing to do: SQLite keeps it at about half by itself."""

LONG_BYTES = 64 * MEGABYTE
"""Above that somebody prevents that it is emptied, and it is worth saying."""


class Checkpointed(Protocol):
    """What has a write-ahead log."""

    async def checkpoint(self) -> bool:
        """Empty it; returns whether that was possible."""
        ...


class Checkpoints:
    """Empties the write-ahead log of the database at a path."""

    def __init__(self, path: Path, database: Checkpointed) -> None:
        self._path = path
        self._database = database

    async def run(self) -> None:
        """Empty it when it has grown.

        Raises:
            StoreError: It has grown too long, and another process prevents it.
        """
        await self.empty(above=SHORT_BYTES)

    async def empty(self, *, above: int = 0) -> None:
        """Empty it when it is longer than `above`, in bytes.

        Raises:
            StoreError: It has grown too long, and another process prevents it.
        """
        size = await asyncio.to_thread(wal_bytes, self._path)
        if size <= above or await self._database.checkpoint():
            return
        logger.info("the write-ahead log of %s cannot be emptied now", self._path.name)
        if size > LONG_BYTES:
            raise StoreError(
                f"the write-ahead log of {self._path.name} has {size / MEGABYTE:.0f} MB and "
                "cannot be emptied: another process reads the database all the time: end it, "
                "or restart gaia"
            )


def wal_bytes(path: Path) -> int:
    """How long the write-ahead log of the database at a path is; 0 if there is none. Blocks."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0
