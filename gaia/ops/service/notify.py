"""What gaia tells its service manager, by systemd's protocol: a datagram a message to the
socket that `NOTIFY_SOCKET` names. Without one, nobody is told.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping
from typing import Self

from gaia.ports import Clock

logger = logging.getLogger(__name__)

MICROSECONDS = 1_000_000


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
        """Everything is started, or the settings were read again."""
        self._tell("READY=1", f"STATUS={status}")

    def reloading(self) -> None:
        """The settings are read again; `ready` follows."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={int(self._clock.monotonic() * MICROSECONDS)}")

    def stopping(self, seconds: float) -> None:
        """gaia ends, within so many seconds."""
        self._tell("STOPPING=1", "STATUS=ending", _extension(seconds))

    def needs(self, seconds: float) -> None:
        """To start, or to end, takes so many seconds more from now on."""
        self._tell(_extension(seconds))

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
