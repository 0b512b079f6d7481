"""A service manager for one process: it is told how the process fares, as systemd is."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.servers.changes import Changes

LARGEST_MESSAGE = 64 * 1024


class Supervisor:
    """Takes what is told. A message is its lines, such as `("READY=1", "STATUS=...")`."""

    def __init__(self, listener: socket.socket, address: str, watchdog_seconds: float) -> None:
        self.environ: Mapping[str, str] = {
            "NOTIFY_SOCKET": address,
            "WATCHDOG_USEC": str(int(watchdog_seconds * 1_000_000)),
        }
        self.messages: list[Sequence[str]] = []
        self._listener = listener
        self._changes = Changes()

    def take(self) -> None:
        """Read what has come."""
        while True:
            try:
                message = self._listener.recv(LARGEST_MESSAGE)
            except BlockingIOError:
                return
            self.messages.append(tuple(message.decode().split("\n")))
            self._changes.tell()

    async def until_told(self, start: str, *, since: int = 0) -> int:
        """The place of the first message from place `since` on with a line that begins so."""
        await self._changes.until(lambda: self._find(start, since) is not None)
        place = self._find(start, since)
        assert place is not None
        return place

    async def until_alive(self, times: int, *, since: int = 0) -> None:
        """Return once that many keep-alives have come, from place `since` on."""
        await self._changes.until(lambda: self.keep_alives(since) >= times)

    def keep_alives(self, since: int = 0, until: int | None = None) -> int:
        """How many came between two places."""
        return sum("WATCHDOG=1" in message for message in self.messages[since:until])

    def _find(self, start: str, since: int) -> int | None:
        places = range(since, len(self.messages))
        return next((at for at in places if _has(self.messages[at], start)), None)


@contextmanager
def supervising(folder: Path, *, watchdog_seconds: float) -> Iterator[Supervisor]:
    """A supervisor, whose `environ` a process is to be started with; its socket is in `folder`."""
    address = str(folder / "notify.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.setblocking(False)
        listener.bind(address)
        supervisor = Supervisor(listener, address, watchdog_seconds)
        loop = asyncio.get_running_loop()
        loop.add_reader(listener, supervisor.take)
        try:
            yield supervisor
        finally:
            loop.remove_reader(listener)


def _has(message: Sequence[str], start: str) -> bool:
    return any(line.startswith(start) for line in message)
