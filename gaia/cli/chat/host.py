"""Where the daemon of a chat comes from: one that runs, or one that is hosted here."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Self

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import InvalidHandshake, InvalidStatus

from channels.terminal_wire import TERMINAL_PATH
from gaia import garbage
from gaia.clock import first_of
from gaia.errors import AlreadyRunningError, NotRunningError
from gaia.paths import Home
from gaia.ports import Clock

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 1.0

PATIENCE_SECONDS = 60.0
"""How long a daemon may own the home without listening on its socket."""

HAND_OVER_SECONDS = 30.0
"""How long a service that asked for the home has, before the chat takes it back: else it would be
the faster one."""

Host = Callable[[], AbstractAsyncContextManager[asyncio.Event | None]]
"""Hosts a daemon in this process; entered, its socket is ready. The event is set when a service
wants the home."""


class DaemonFinder:
    """Connects to the daemon on a socket, and hosts one if there is none.

    As a context manager it owns the hosted daemon: leaving it lets the daemon
    drain and stop. Of several chats that find no daemon, the one that gets the
    home's lock hosts it for all, and another takes over when it leaves.
    """

    def __init__(self, socket_path: Path, host: Host, clock: Clock) -> None:
        self._socket_path = socket_path
        self._host = host
        self._clock = clock
        self._ready = asyncio.Event()
        self._leaving = asyncio.Event()
        self._hosting: asyncio.Task[None] | None = None
        self._gave_way = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leaving.set()
        if self._hosting is not None:
            if not self._ready.is_set():
                self._hosting.cancel()
                await asyncio.wait((self._hosting,))
            else:
                await self._hosting

    async def connect(self, restart_seconds: float) -> ClientConnection:
        """Connect; give a daemon that restarts `restart_seconds` before hosting one, and a
        service that asked for the home some time to take it.

        Raises:
            NotRunningError: Another process owns the home and does not listen,
                or the daemon that listens has no terminal.
            GaiaError: The daemon that was to be hosted could not start.
        """
        began = self._clock.monotonic()
        pause = FIRST_PAUSE_SECONDS
        while True:
            if connection := await self._try_to_connect():
                # One to the daemon that drains here is soon lost.
                self._gave_way &= self._hosting is not None and not self._hosting.done()
                return connection
            waited = self._clock.monotonic() - began
            grace = max(restart_seconds, HAND_OVER_SECONDS) if self._gave_way else restart_seconds
            if waited >= grace and await self._try_to_host():
                continue
            if waited >= grace + PATIENCE_SECONDS:
                raise NotRunningError(
                    "another gaia owns the home but does not answer on "
                    f"{str(self._socket_path)!r}: see its log, or stop it and try again"
                )
            await self._clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _try_to_connect(self) -> ClientConnection | None:
        try:
            return await unix_connect(
                str(self._socket_path),
                f"ws://localhost{TERMINAL_PATH}",
                compression=None,
                max_size=None,
                ping_interval=None,
                close_timeout=1,
            )
        except InvalidStatus as exc:
            if exc.response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise NotRunningError(
                    "the daemon that runs has no terminal channel: set "
                    "channels.terminal.enabled to true in gaia.yaml, and restart it if it is older"
                ) from exc
            return None
        except (OSError, InvalidHandshake, EOFError):
            return None

    async def _try_to_host(self) -> bool:
        """Whether a daemon is hosted here now. `False` if another process has the home."""
        if self._hosting is not None:
            if not self._hosting.done():
                return False
            await self._hosting  # It broke: the error says why.
        self._hosting = asyncio.create_task(self._host_until_leaving(), name="hosted-daemon")
        readiness = asyncio.create_task(self._ready.wait(), name="hosted-daemon-readiness")
        try:
            await asyncio.wait((self._hosting, readiness), return_when=asyncio.FIRST_COMPLETED)
        finally:
            readiness.cancel()
        if self._hosting.done():
            failed, self._hosting = self._hosting, None
            try:
                await failed
            except AlreadyRunningError:
                return False
        return True

    async def _host_until_leaving(self) -> None:
        async with self._host() as asked:
            self._ready.set()
            waits = [self._leaving.wait(), *([asked.wait()] if asked else [])]
            await first_of(*waits)
            self._gave_way = asked is not None and asked.is_set()
        self._ready.clear()


@asynccontextmanager
async def host_daemon(
    home: Home, on_learning: Callable[[], None] | None = None
) -> AsyncIterator[asyncio.Event]:
    """Host gaia's daemon in this process; `on_learning` is that of `daemon.hosted`.

    What it needs is imported only now, which takes seconds: in a thread, so
    that the prompt stays alive when a chat takes over from another.
    """
    with garbage.importing():
        await asyncio.to_thread(importlib.import_module, "gaia.app.daemon")
    from gaia.app.daemon import hosted

    async with hosted(home, on_learning) as asked:
        yield asked
