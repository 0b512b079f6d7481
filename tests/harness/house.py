"""A gaia that is a real daemon: its home, what starts it, and a scripted model."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from gaia.paths import Home
from tests.harness.databases import rows
from tests.harness.scripted_daemon import Daemons
from tests.servers.model_server import ModelServer
from tests.servers.model_server.recording import RecordedRequest

PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class House:
    """The home, the daemon that serves it, and the model that it asks."""

    home: Home
    daemons: Daemons
    model: ModelServer

    @asynccontextmanager
    async def awake(self) -> AsyncIterator[None]:
        """A daemon that runs for as long as the block lasts, and has ended after it."""
        await self.daemons.start(self.home)
        try:
            await self.until(lambda: self._listens() and bool(self.asks("/readyz")["ready"]))
            yield
            self.daemons.terminate()
        except BaseException:
            self.daemons.kill()
            raise
        finally:
            await self.daemons.ended()

    def asks(self, path: str) -> dict[str, Any]:
        """What the daemon answers to a GET on its control socket, as JSON."""
        transport = httpx.HTTPTransport(uds=str(self.home.control_socket))
        with httpx.Client(transport=transport, timeout=PATIENCE_SECONDS) as client:
            return dict(client.get(f"http://gaia{path}").json())

    def asked_with(self, words: str) -> Sequence[RecordedRequest]:
        """The requests to the chat model that hold these words, wherever in them."""
        return [each for each in self.model.requests if words in json.dumps(each.body)]

    def rows(self, query: str) -> list[Any]:
        """Read from the database, as another process does."""
        return list(rows(self.home, query))

    async def until(self, holds: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        """Return once `holds` does: what happens in files of another process tells no event."""
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(LOOK_SECONDS)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as knocking:
            return knocking.connect_ex(str(self.home.control_socket)) == 0
