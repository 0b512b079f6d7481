"""What was done is kept, however long the database does not answer: that a channel has taken a
chunk, or what a model has answered. Given up, it would be done a second time.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from gaia.clock import growing_pauses, retry
from gaia.errors import StoreError, VanishedError
from gaia.ports import Clock
from gaia.store.engine import UnknownOutcomeError

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0


async def kept(clock: Clock, write: Callable[[], Awaitable[T]]) -> T:
    """What `write` returns, tried again until it is kept, or the caller is cancelled.

    Raises:
        VanishedError: Nothing can be kept until gaia starts again.
        UnknownOutcomeError: It may have been kept.
    """
    pauses = growing_pauses(FIRST_SECONDS, LONGEST_SECONDS)
    return await retry(clock, write, pauses, StoreError, _failed)


async def _failed(exc: StoreError, pauses: Iterator[float]) -> float:
    if isinstance(exc, VanishedError | UnknownOutcomeError):
        raise exc
    pause = next(pauses)
    logger.warning("tried again in %.0f s, not kept yet: %s", pause, exc)
    return pause
