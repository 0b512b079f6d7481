"""The server's routes: the providers' endpoints, and `/control` for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.servers.model_server.anthropic import AnthropicProtocol
from tests.servers.model_server.conversation import Answer, Asked, answer_by
from tests.servers.model_server.embeddings import EmbeddingEndpoints
from tests.servers.model_server.gemini import GeminiProtocol
from tests.servers.model_server.lists import listing
from tests.servers.model_server.openai import OpenAIProtocol
from tests.servers.model_server.protocol import Json, WireProtocol
from tests.servers.model_server.recording import RecordedRequest
from tests.servers.model_server.script import Script, ScriptReader, Step

MODEL = "scripted"
_BODY = TypeAdapter(Json)


class ConnectionCutError(Exception):
    """Makes the HTTP server drop the connection in the middle of a stream."""


class ScriptedApp:
    """The server's state and its endpoints.

    `answer` replaces the answers of steps that name none. With `shaped`, which answers them
    then, requests for JSON of a shape are apart from the script and from `requests`.
    """

    def __init__(
        self,
        script: Script,
        answer: Callable[[Asked], Answer] | None = None,
        shaped: Callable[[Asked], Awaitable[Answer]] | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.shaped_requests: list[RecordedRequest] = []
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        """While it is not set, chats wait for their answers."""
        self.open.set()
        self.script = ScriptReader(script)
        self.embeddings = EmbeddingEndpoints()
        self._answer = answer
        self._shaped = shaped
        gemini, openai, anthropic = GeminiProtocol(), OpenAIProtocol(), AnthropicProtocol()
        self.starlette = Starlette(
            routes=[
                *self.embeddings.routes,
                self._route("/v1/models/{call:path}", gemini),
                self._route("/v1beta/models/{call:path}", gemini),
                self._route("/v1/chat/completions", openai),
                self._route("/v1/messages", anthropic),
                Route("/v1/models", self._models),
                Route("/v1beta/models", self._models),
                Route("/control/script", self._control_script, methods=["POST"]),
                Route("/control/requests", self._control_requests, methods=["GET", "DELETE"]),
            ]
        )

    def _route(self, path: str, protocol: WireProtocol) -> Route:
        async def endpoint(request: Request) -> Response:
            return await self._serve(request, protocol)

        return Route(path, endpoint, methods=["POST"])

    async def _serve(self, request: Request, protocol: WireProtocol) -> Response:
        body = await request.body()
        try:
            asked = protocol.read(body, path=request.url.path)
        except ValidationError as exc:
            return _error(protocol, 400, str(exc))
        if self._shaped is not None and asked.shape is not None:
            self.shaped_requests.append(_record(request, protocol, body, asked, 200))
            return JSONResponse(protocol.whole(asked, await self._shaped(asked)))
        key = protocol.key(request.headers)
        authorized = self.script.api_key in ("", key)
        step = self.script.next_step() if authorized else Step(status=401)
        self.requests.append(_record(request, protocol, body, asked, step.status or 200))
        self.asked.set()
        await self.open.wait()
        await asyncio.sleep(step.latency_seconds)
        if step.hang:
            await request.receive()
        if step.status is not None:
            message = f"scripted {step.status}"
            if not authorized:
                # Some providers say the key that they refuse.
                message = f"incorrect API key provided: {key}"
            return _error(protocol, step.status, message, retry_after=step.retry_after)
        if step.garbled:
            return Response("data: {not json\n\n", media_type="application/json")
        answer = self._answer_to(asked, step)
        if asked.stream:
            events = _paced(protocol.events(asked, answer), step)
            return StreamingResponse(events, media_type="text/event-stream")
        return JSONResponse(protocol.whole(asked, answer))

    def _answer_to(self, asked: Asked, step: Step) -> Answer:
        scripted = step.blocked or step.cut or step.call is not None or step.text is not None
        if self._answer is None or scripted:
            return answer_by(step, asked)
        return self._answer(asked)

    async def _models(self, request: Request) -> Response:
        protocol, listed = listing(request.headers, MODEL)
        if self.script.api_key not in ("", protocol.key(request.headers)):
            return _error(protocol, 401, "scripted 401")
        return JSONResponse(listed)

    async def _control_script(self, request: Request) -> Response:
        try:
            script = Script.model_validate_json(await request.body())
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        self.script = ScriptReader(script)
        return JSONResponse({"steps": len(script.steps)})

    async def _control_requests(self, request: Request) -> Response:
        listed = [recorded.model_dump(mode="json") for recorded in self.requests]
        if request.method == "DELETE":
            self.requests.clear()
        return JSONResponse(listed)


def _record(
    request: Request, protocol: WireProtocol, body: bytes, asked: Asked, status: int
) -> RecordedRequest:
    return RecordedRequest(
        protocol=protocol.name,
        path=request.url.path,
        model=asked.model,
        stream=asked.stream,
        size=len(body),
        body=_BODY.validate_json(body),
        system=asked.system,
        user_texts=asked.user_texts,
        tools=asked.tools,
        status=status,
    )


def _error(protocol: WireProtocol, status: int, message: str, *, retry_after: str = "") -> Response:
    body, headers = protocol.error(status, message, retry_after=retry_after)
    return JSONResponse(body, status, headers)


async def _paced(events: Sequence[str], step: Step) -> AsyncIterator[str]:
    for index, event in enumerate(events):
        if index == step.cut_after:
            raise ConnectionCutError
        if index == step.end_after:
            return
        await asyncio.sleep(step.chunk_seconds)
        yield event
