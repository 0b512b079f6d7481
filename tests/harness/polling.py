"""Waiting for what happens in another process, which tells no event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.02


async def until(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Return once `holds` does."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)
