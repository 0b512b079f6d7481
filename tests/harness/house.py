"""A gaia that is a real daemon: its home, what starts it, and a scripted model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from gaia.paths import Home
from tests.harness.control import asks, is_ready
from tests.harness.databases import rows
from tests.harness.polling import PATIENCE_SECONDS, until
from tests.harness.scripted_daemon import Daemons
from tests.servers.model_server import ModelServer
from tests.servers.model_server.recording import RecordedRequest


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
            await until(partial(is_ready, self.home))
            yield
            self.daemons.terminate()
        except BaseException:
            self.daemons.kill()
            raise
        finally:
            await self.daemons.ended()

    def asks(self, path: str) -> dict[str, Any]:
        """What the daemon answers to a GET on its control socket, as JSON."""
        return asks(self.home, path)

    def asked_with(self, words: str) -> Sequence[RecordedRequest]:
        """The requests to the chat model that hold these words, wherever in them."""
        return [each for each in self.model.requests if words in json.dumps(each.body)]

    def rows(self, query: str) -> list[Any]:
        """Read from the database, as another process does."""
        return list(rows(self.home, query))

    async def until(self, holds: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        """Return once `holds` does."""
        await until(holds, seconds)
