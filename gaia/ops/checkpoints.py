"""Write-ahead logs: emptied before they grow so long that a write waits for one.

SQLite moves what is in one into its database by itself, but not while somebody reads, and
the file keeps its size. One that grows on and on makes every read slower.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
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
    """Empties the write-ahead logs of databases, each given with its file."""

    def __init__(self, databases: Sequence[tuple[Path, Checkpointed]]) -> None:
        self._databases = databases

    async def run(self) -> None:
        """Empty those that have grown.

        Raises:
            StoreError: One has grown too long, and another process prevents it.
        """
        await self.empty(above=SHORT_BYTES)

    async def empty(self, *, above: int = 0) -> None:
        """Empty those that are longer than `above`, in bytes.

        Raises:
            StoreError: One has grown too long, and another process prevents it.
        """
        too_long = []
        for path, database in self._databases:
            size = await asyncio.to_thread(_wal_size, path)
            if size <= above or await database.checkpoint():
                continue
            logger.info("the write-ahead log of %s cannot be emptied now", path.name)
            if size > LONG_BYTES:
                too_long.append(f"that of {path.name} has {size / MEGABYTE:.0f} MB")
        if too_long:
            raise StoreError(
                f"write-ahead logs grow and cannot be emptied: {', '.join(too_long)}. "
                "Another process reads the database all the time: end it, or restart gaia"
            )


def _wal_size(path: Path) -> int:
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0
