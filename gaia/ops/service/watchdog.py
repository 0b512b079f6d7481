"""The watchdog: tells the service manager that gaia works, as long as it does.

That its loop turns proves little; so signs of progress are looked for each time. A sign
says what has come to a standstill, or nothing. A provider that is down, a model that does
not answer, a full disk are not such: a restart would mend none of them. Turns, sends and
jobs need no sign, since each has a limit of time of its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self

from gaia.errors import StoreError
from gaia.messages import Health
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.revision import table_names
from gaia.store.sqlite.database import SqliteDatabase

logger = logging.getLogger(__name__)

Sign = Callable[[], Awaitable[str]]
"""What stands still, for the owner to read; empty if nothing does."""

ROUNDS = 3
"""Keep-alives within the time in which one is expected."""

UNWATCHED_SECONDS = 20.0
"""Between two rounds without keep-alives: a standstill is still logged."""

MICROSECONDS = 1_000_000

ASKING_SECONDS = 20.0
"""Between two requests for more time."""


class Watchdog:
    """Looks for signs of progress, and feeds."""

    def __init__(self, manager: ServiceManager, signs: Sequence[Sign], clock: Clock) -> None:
        self._manager = manager
        self._signs = signs
        self._clock = clock
        watched = manager.watchdog_seconds
        self._seconds = watched / ROUNDS if watched else UNWATCHED_SECONDS
        self._standstill = ""

    async def run(self) -> None:
        """Look and feed until cancelled."""
        self._manager.alive()
        while True:
            fell_asleep_at = self._clock.monotonic()
            await self._clock.sleep(self._seconds)
            if self._clock.monotonic() - fell_asleep_at > 2 * self._seconds:
                # The whole process stood still: the others have not had their chance yet.
                self._manager.alive()
                continue
            self._tell(await self._look())

    async def _look(self) -> str:
        for sign in self._signs:
            if standstill := await sign():
                return standstill
        return ""

    def _tell(self, standstill: str) -> None:
        before, self._standstill = self._standstill, standstill
        if not standstill:
            if before:
                logger.info("gaia works again")
                self._manager.status("works again")
            self._manager.alive()
        elif standstill != before:
            logger.error("no keep-alives until gaia works again: %s", standstill)
            self._manager.status(standstill)


def of_parts(healths: Callable[[], Mapping[str, Health]]) -> Sign:
    """Whether a part, such as a channel, neither works nor fails any more."""

    async def look() -> str:
        stalled = [f"{name}: {each.detail}" for name, each in healths().items() if each.is_stalled]
        return "; ".join(stalled)

    return look


def of_store(database: Database, *, seconds: float) -> Sign:
    """Whether gaia.db can be read, within so many seconds. A PostgreSQL server that is down is
    waited for: to start gaia again would not bring it back."""

    async def look() -> str:
        if not isinstance(database, SqliteDatabase):
            return ""
        try:
            async with asyncio.timeout(seconds):
                await database.read(lambda session: table_names(session.connection()))
        except StoreError as exc:
            return str(exc)
        except TimeoutError:
            return f"gaia.db could not be read within {seconds:g} s"
        return ""

    return look


def of_web(path: Path, *, seconds: float) -> Sign:
    """Whether the web server answers on gaia's own socket, whatever it answers."""

    async def look() -> str:
        try:
            async with asyncio.timeout(seconds):
                answer = await first_line(path, "GET /readyz")
        except TimeoutError:
            return f"the control socket did not answer within {seconds:g} s"
        except OSError as exc:
            return f"the control socket {str(path)!r} cannot be reached: {exc.strerror or exc}"
        return "" if answer.startswith(b"HTTP/1.1 ") else "the control socket does not answer"

    return look


async def first_line(path: Path, request: str) -> bytes:
    """The first line of what a socket of gaia's answers to a request without a body, such as
    `GET /readyz`; empty if there is none.

    Raises:
        OSError: Nobody is there.
    """
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        head = f"{request} HTTP/1.1\r\nHost: gaia\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        return await reader.readline()
    finally:
        writer.close()


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
