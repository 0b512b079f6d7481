"""Supervision: a background task that fails is logged and begun again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from gaia.ports import Clock

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STABLE_SECONDS = 60.0
"""A task that ran for so long is trusted again: its next pause is the first one."""


async def keep_running(
    name: str,
    run: Callable[[], Awaitable[None]],
    clock: Clock,
    *,
    on_failure: Callable[[Exception], None] = lambda exc: None,
) -> None:
    """Call `run` again and again until cancelled, with growing pauses after failures.

    `run` is not supposed to return: that is a failure as well.
    """
    pause = FIRST_PAUSE_SECONDS
    while True:
        started_at = clock.monotonic()
        try:
            await run()
            raise RuntimeError(f"{name} ended by itself")
        except Exception as exc:
            if clock.monotonic() - started_at >= STABLE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            logger.exception("%s died, and is started again in %.0f s", name, pause)
            on_failure(exc)
        await clock.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


async def until_done(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Call `run` until it has come to its end once, with growing pauses after failures."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            await run()
        except Exception:
            logger.exception("%s failed, and is tried again in %.0f s", name, pause)
        else:
            return
        await clock.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
