"""What is read of idle conversations by a daemon that is about to end: one that was run for a
single message, which nobody else may ever read them for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from gaia.digest.worker import DigestWorker

NOTICEABLE_SECONDS = 1.0
LEARNING_SECONDS = 60.0

logger = logging.getLogger(__name__)


async def learned(digest_worker: DigestWorker, on_learning: Callable[[], None]) -> None:
    """Return once nothing is left that could be learned now, or a minute is over. `on_learning`
    is called when it takes more than a moment."""
    loop = asyncio.get_running_loop()
    telling = loop.call_later(NOTICEABLE_SECONDS, on_learning)
    try:
        async with asyncio.timeout(LEARNING_SECONDS):
            await digest_worker.flush()
    except TimeoutError:
        logger.info("not all of the idle conversations were read: the next chat goes on")
    finally:
        telling.cancel()
