"""The server while it runs: in this process, or in one of its own."""

from __future__ import annotations

import os
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import httpx
from pydantic import TypeAdapter

from tests.harness.processes import Starter, spawn
from tests.servers.model_server.app import ScriptedApp
from tests.servers.model_server.conversation import Answer, Asked
from tests.servers.model_server.embeddings import RecordedEmbedding
from tests.servers.model_server.recording import RecordedRequest
from tests.servers.model_server.script import Script, ScriptReader, Step
from tests.servers.serve import serving

_RECORDED = TypeAdapter(tuple[RecordedRequest, ...])


class Located:
    """Where a server is, in the terms of each provider's client."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def gemini_base_url(self) -> str:
        return self.url

    @property
    def openai_base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic_base_url(self) -> str:
        return self.url


class ModelServer(Located):
    """A server in this process."""

    def __init__(self, url: str, app: ScriptedApp) -> None:
        super().__init__(url)
        self._app = app

    def script(self, *steps: Step, api_key: str = "") -> None:
        """Replace the script: these steps come next."""
        self._app.script = ScriptReader(Script(api_key=api_key, steps=steps))

    def hold(self) -> None:
        """Let chats wait for their answers from now on."""
        self._app.open.clear()

    def release(self) -> None:
        """Answer all that wait, and further ones at once."""
        self._app.open.set()

    @property
    def requests(self) -> Sequence[RecordedRequest]:
        """All requests so far, oldest first."""
        return tuple(self._app.requests)

    @property
    def shaped_requests(self) -> Sequence[RecordedRequest]:
        """All requests for JSON of a shape so far, where these are apart."""
        return tuple(self._app.shaped_requests)

    def script_embeddings(self, *steps: Step, api_key: str = "") -> None:
        """Replace the script of the embeddings."""
        self._app.embeddings.script = ScriptReader(Script(api_key=api_key, steps=steps))

    @property
    def embedded(self) -> Sequence[RecordedEmbedding]:
        """All requests for embeddings so far, oldest first."""
        return tuple(self._app.embeddings.requests)

    async def until_asked(self, count: int = 1) -> None:
        """Return once at least `count` requests have arrived."""
        while len(self._app.requests) < count:
            self._app.asked.clear()
            await self._app.asked.wait()


class RemoteModelServer(Located):
    """A server in another process, steered over `/control`."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        super().__init__(url)
        self._http = http

    async def script(self, *steps: Step, api_key: str = "") -> None:
        """Replace the script: these steps come next."""
        body = Script(api_key=api_key, steps=steps).model_dump(mode="json")
        (await self._http.post(f"{self.url}/control/script", json=body)).raise_for_status()

    async def requests(self) -> tuple[RecordedRequest, ...]:
        """All requests so far, oldest first."""
        response = await self._http.get(f"{self.url}/control/requests")
        return _RECORDED.validate_json(response.raise_for_status().content)

    async def forget_requests(self) -> None:
        (await self._http.delete(f"{self.url}/control/requests")).raise_for_status()


@asynccontextmanager
async def running_model_server(
    *steps: Step,
    api_key: str = "",
    answer: Callable[[Asked], Answer] | None = None,
    shaped: Callable[[Asked], Awaitable[Answer]] | None = None,
    port: int = 0,
    keeps_open: bool = True,
) -> AsyncIterator[ModelServer]:
    """Serve on loopback, on a free port unless one is given, until the block is left.
    What gaia asks for by itself, JSON of a shape, is apart from its chats, and answered by
    `shaped`, where that is given: it comes at any time. Connections stay open between
    requests if it `keeps_open`."""
    app = ScriptedApp(Script(api_key=api_key, steps=steps), answer, shaped)
    async with serving(app.starlette, port=port, keeps_open=keeps_open) as url:
        yield ModelServer(url, app)


@asynccontextmanager
async def spawned_model_server(start: Starter = spawn) -> AsyncIterator[RemoteModelServer]:
    """Run the server as a process of its own until the block is left."""
    process = await start("tests.servers.model_server", environ=os.environ, stdout=PIPE)
    try:
        line = await process.stdout.readline() if process.stdout else b""
        url = line.decode().strip()
        if not url:
            raise RuntimeError("the model server did not start")
        async with httpx.AsyncClient() as http:
            yield RemoteModelServer(url, http)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()
