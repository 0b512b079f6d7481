"""The watchdog: tells the service manager that gaia works, as long as it does.

That its loop turns proves little; so signs of progress are looked for each time. A sign
says what has come to a standstill, or nothing. A provider that is down, a model that does
not answer, a full disk are not such: a restart would mend none of them. Turns, sends and
jobs need no sign, since each has a limit of time of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.messages import Health
from gaia.ops.service.notify import ServiceManager
from gaia.ports import Clock
from gaia.store.engine import Database

logger = logging.getLogger(__name__)

Sign = Callable[[], Awaitable[str]]
"""What stands still, for the owner to read; empty if nothing does."""

ROUNDS = 3
"""Keep-alives within the time in which one is expected."""

UNWATCHED_SECONDS = 20.0
"""Between two rounds where nobody waits for keep-alives: a standstill is logged all the same."""


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
    """Whether gaia.db can be read, within so many seconds."""

    async def look() -> str:
        try:
            async with asyncio.timeout(seconds):
                await database.read(Session.scalar, text("SELECT count(*) FROM sqlite_master"))
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
                answer = await _ask(path)
        except TimeoutError:
            return f"the control socket did not answer within {seconds:g} s"
        except OSError as exc:
            return f"the control socket {str(path)!r} cannot be reached: {exc.strerror or exc}"
        return "" if answer.startswith(b"HTTP/1.1 ") else "the control socket does not answer"

    return look


async def _ask(path: Path) -> bytes:
    """The first line of the answer, empty if there is none."""
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: gaia\r\nConnection: close\r\n\r\n")
        return await reader.readline()
    finally:
        writer.close()
