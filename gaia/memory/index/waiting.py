"""Waiting that ends early: by an event, or because time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from gaia.ports import Clock

T = TypeVar("T")


async def within(seconds: float, work: Coroutine[Any, Any, T], clock: Clock) -> T:
    """What `work` returns or raises. It is cancelled when time is up.

    Raises:
        TimeoutError: Time is up.
    """
    working = asyncio.create_task(work)
    sleeping = asyncio.create_task(clock.sleep(seconds))
    try:
        await asyncio.wait((working, sleeping), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise TimeoutError
        return working.result()
    finally:
        working.cancel()
        sleeping.cancel()


async def until_set(event: asyncio.Event, clock: Clock, *, longest: float) -> None:
    """Return once `event` is set, or after `longest` seconds."""
    try:
        await within(longest, event.wait(), clock)
    except TimeoutError:
        return
