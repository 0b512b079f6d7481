"""The background tasks of the daemon, by name: each can be ended, and begun again. One that
fails is logged and begun again. Web servers on ports are among them, each of which moves when
its settings say so."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.applications import Starlette

from gaia.clock import growing_pauses
from gaia.errors import ListenError
from gaia.logs import log_failure
from gaia.ports import Clock
from gaia.settings.urls import ANY_HOST
from gaia.web.server import WebServer, listen_on_port

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STABLE_SECONDS = 60.0
"""A task that ran for so long is trusted again: its next pause is the first one."""


class Tasks:
    """Tasks of one group."""

    def __init__(self, group: asyncio.TaskGroup, clock: Clock) -> None:
        self._group = group
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._passing: set[asyncio.Task[None]] = set()
        self._is_over = False

    def start(
        self, name: str, run: Callable[[], Awaitable[None]], *, supervised: bool = True
    ) -> None:
        """Run it until it is stopped. One that is not `supervised` takes the daemon with it
        when it fails. Ignored once all were cancelled.

        Raises:
            ValueError: A task of that name runs.
        """
        if name in self._tasks:
            raise ValueError(f"a task called {name!r} runs already")
        if self._is_over:
            return
        running = keep_running(name, run, self._clock) if supervised else _run(run)
        self._tasks[name] = self._group.create_task(running, name=name)

    def run_once(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run it to its end, beside others of that name; what fails is tried again. Ignored
        once all were cancelled."""
        if self._is_over:
            return
        task = self._group.create_task(until_done(name, run, self._clock), name=name)
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def stop(self, name: str) -> None:
        """Cancel a task, and return when it has ended. Does nothing when there is none."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def cancel(self) -> None:
        """Cancel all, those begun last first. Nothing is begun from then on."""
        self._is_over = True
        for task in (*reversed(self._tasks.values()), *self._passing):
            task.cancel()
        self._tasks.clear()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens."""

    host: str
    port: int


class Listeners:
    """Serves each app by its name, which is that of its block in the settings, at its place;
    without a place it is not served."""

    def __init__(self, tasks: Tasks, apps: Mapping[str, Callable[[], Starlette]]) -> None:
        self._tasks = tasks
        self._apps = apps
        self._places: dict[str, Place] = {}
        self._sockets: dict[str, socket.socket] = {}

    def open(self, name: str, place: Place | None) -> None:
        """Serve it there. Does nothing without a place.

        Raises:
            ListenError: It cannot listen there.
        """
        if place is None:
            return
        listener = listen_on_port(place.host, place.port, block=name)
        self._places[name], self._sockets[name] = place, listener
        server = WebServer(self._apps[name](), listener)
        self._tasks.start(name, server.run_until_cancelled, supervised=False)
        host, port = listener.getsockname()[:2]
        logger.info("the %s server listens on %s:%d", name, host, port)

    def address(self, name: str) -> str | None:
        """The host and the port by which this machine reaches it, as a URL has them; None where
        it is not served."""
        listener = self._sockets.get(name)
        if listener is None:
            return None
        host, port = listener.getsockname()[:2]
        host = ANY_HOST.get(host, host)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def move(self, name: str, place: Place | None) -> None:
        """Serve it there from now on. Requests that run are ended in good order.

        Raises:
            ListenError: It cannot listen there; it is served where it was.
        """
        before = self._places.get(name)
        if before == place:
            return
        await self._stop(name)
        try:
            self.open(name, place)
        except ListenError:
            self.open(name, before)
            raise

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Close what is open at the end of the block, whatever became of the servers."""
        try:
            yield
        finally:
            for listener in self._sockets.values():
                listener.close()

    async def _stop(self, name: str) -> None:
        await self._tasks.stop(name)
        self._places.pop(name, None)
        listener = self._sockets.pop(name, None)
        if listener is not None:
            listener.close()


async def keep_running(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Call `run` again and again until cancelled, with growing pauses after failures.

    `run` is not supposed to return: that is a failure as well.
    """
    pauses = _pauses()
    while True:
        started_at = clock.monotonic()
        try:
            await run()
            raise RuntimeError(f"{name} ended by itself")
        except Exception as exc:
            if clock.monotonic() - started_at >= STABLE_SECONDS:
                pauses = _pauses()
            pause = next(pauses)
            log_failure(logger, exc, "%s died, and is started again in %.0f s", name, pause)
        await clock.sleep(pause)


async def until_done(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Call `run` until it has come to its end once, with growing pauses after failures."""
    for pause in _pauses():
        try:
            await run()
        except Exception as exc:
            log_failure(logger, exc, "%s failed, and is tried again in %.0f s", name, pause)
        else:
            return
        await clock.sleep(pause)


def _pauses() -> Iterator[float]:
    return growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)


async def _run(run: Callable[[], Awaitable[None]]) -> None:
    await run()
