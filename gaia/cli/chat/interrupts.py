"""Ctrl-C while an answer is awaited: it asks gaia to stop, and a second one stops waiting."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from gaia.cli.chat.link import Ending, Exchange


@contextmanager
def interrupts_set(event: asyncio.Event) -> Iterator[None]:
    """Ctrl-C sets `event` instead of ending the program, within the context."""
    loop = asyncio.get_running_loop()
    previous = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, event.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, previous)


async def ending_unless(interrupted: asyncio.Event, exchange: Exchange) -> Ending | None:
    """The ending of `exchange`, or `None` if the user interrupts first."""
    async with asyncio.TaskGroup() as group:
        ending = group.create_task(exchange.ending())
        interrupt = group.create_task(interrupted.wait())
        await asyncio.wait((ending, interrupt), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        interrupt.cancel()
    return None if ending.cancelled() else ending.result()
