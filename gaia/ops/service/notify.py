"""What gaia tells its service manager, by systemd's protocol: a datagram a message to the
socket that `NOTIFY_SOCKET` names. Without one, nobody is told.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from typing import Self

from gaia.ports import Clock

logger = logging.getLogger(__name__)

MICROSECONDS = 1_000_000

ASKING_SECONDS = 20.0
"""Between two requests for more time."""


class ServiceManager:
    """Who started gaia, and is to know how it fares.

    `watchdog_seconds` is how long it waits for the next `alive`, once it was told of
    `ready`; None if it does not wait for any.
    """

    def __init__(
        self, address: str = "", *, clock: Clock, watchdog_seconds: float | None = None
    ) -> None:
        self.watchdog_seconds = watchdog_seconds if address else None
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._clock = clock

    @classmethod
    def of_environment(cls, environ: MutableMapping[str, str], clock: Clock) -> Self:
        """The one that `environ` names. It is taken out of there, so that no child of gaia's
        speaks in its place."""
        address = environ.pop("NOTIFY_SOCKET", "")
        microseconds = environ.pop("WATCHDOG_USEC", "")
        meant = environ.pop("WATCHDOG_PID", "")
        watched = microseconds.isdecimal() and meant in ("", str(os.getpid()))
        return cls(
            address,
            clock=clock,
            watchdog_seconds=int(microseconds) / MICROSECONDS or None if watched else None,
        )

    def ready(self, status: str) -> None:
        """Everything is started."""
        self._tell("READY=1", f"STATUS={status}")

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """The settings are read again within the block."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={int(self._clock.monotonic() * MICROSECONDS)}")
        try:
            yield
        finally:
            self._tell("READY=1")

    def stopping(self, seconds: float) -> None:
        """gaia ends, within so many seconds."""
        self._tell("STOPPING=1", "STATUS=ending", _extension(seconds))

    @asynccontextmanager
    async def given_time(self) -> AsyncIterator[None]:
        """To start takes as long as the block does: what is done there makes progress."""
        asking = asyncio.create_task(self._ask_for_time())
        try:
            yield
        finally:
            asking.cancel()
            await asyncio.wait((asking,))

    async def _ask_for_time(self) -> None:
        while True:
            self._tell(_extension(3 * ASKING_SECONDS))
            await self._clock.sleep(ASKING_SECONDS)

    def alive(self) -> None:
        """gaia works: a keep-alive."""
        self._tell("WATCHDOG=1")

    def status(self, status: str) -> None:
        """How gaia fares, in a line for its owner."""
        self._tell(f"STATUS={status}")

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)
                sender.connect(self._address)
                sender.send("\n".join(" ".join(line.split("\n")) for line in lines).encode())
        except OSError as exc:
            logger.warning("the service manager cannot be told %s: %s", lines[0], exc)


def _extension(seconds: float) -> str:
    return f"EXTEND_TIMEOUT_USEC={int(seconds * MICROSECONDS)}"
