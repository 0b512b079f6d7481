"""The web servers on ports, each of which moves when its settings say so."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.applications import Starlette

from gaia.app.tasks import Tasks
from gaia.errors import ListenError
from gaia.web.server import WebServer, listen_on_port

logger = logging.getLogger(__name__)


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
