"""Embeddings over HTTP: OpenAI's endpoint and Gemini's, with vectors of hashed words.

Their script is one of its own, so that chats and embeddings can fail apart: of a `Step`
only `status`, `latency_seconds`, `hang` and `times` count. Like the real one, the model
`gemini-embedding-2` makes one vector of all parts of a content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gaia.testing.fake_index import bag_of_words
from tests.servers.model_server.protocol import Json
from tests.servers.model_server.script import Script, ScriptReader

USUAL_DIMENSIONS = 256


@dataclass(frozen=True, slots=True)
class RecordedEmbedding:
    """One request: who it was for, what it asked to embed, and the key that it carried."""

    model: str
    texts: tuple[str, ...]
    key: str
    status: int


class _OpenAIRequest(BaseModel):
    model: str
    input: str | list[str]
    dimensions: int | None = None

    @property
    def texts(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


class _Part(BaseModel):
    text: str


class _Content(BaseModel):
    parts: list[_Part]


class _GeminiOne(BaseModel):
    content: _Content
    outputDimensionality: int | None = None  # noqa: N815

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.content.parts)


class _GeminiRequest(BaseModel):
    requests: list[_GeminiOne] = Field(min_length=1)


class EmbeddingEndpoints:
    """The two endpoints, and what they were asked."""

    def __init__(self) -> None:
        self.requests: list[RecordedEmbedding] = []
        self.script = ScriptReader(Script())
        self.routes = [
            Route("/v1/embeddings", self._openai, methods=["POST"]),
            Route("/v1beta/models/{model}:batchEmbedContents", self._gemini, methods=["POST"]),
        ]

    async def _openai(self, request: Request) -> Response:
        asked = _OpenAIRequest.model_validate_json(await request.body())
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if status := await self._step(request, asked.model, asked.texts, key):
            return JSONResponse({"error": {"message": f"scripted {status}"}}, status)
        vectors = _vectors(asked.model, asked.texts, asked.dimensions)
        data: list[Json] = [
            {"object": "embedding", "index": index, "embedding": list(vector)}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
        return JSONResponse({"object": "list", "data": data, "model": asked.model, "usage": usage})

    async def _gemini(self, request: Request) -> Response:
        asked = _GeminiRequest.model_validate_json(await request.body())
        model = request.path_params["model"]
        texts = [each.text for each in asked.requests]
        key = request.headers.get("x-goog-api-key", "")
        if status := await self._step(request, model, texts, key):
            error = {"code": status, "message": f"scripted {status}", "status": "INTERNAL"}
            return JSONResponse({"error": error}, status)
        vectors = _vectors(model, texts, asked.requests[0].outputDimensionality)
        return JSONResponse({"embeddings": [{"values": list(vector)} for vector in vectors]})

    async def _step(
        self, request: Request, model: str, texts: Sequence[str], key: str
    ) -> int | None:
        wrong_key = self.script.api_key not in ("", key)
        step = self.script.next_step()
        status = 401 if wrong_key else step.status
        self.requests.append(RecordedEmbedding(model, tuple(texts), key, status or 200))
        await asyncio.sleep(step.latency_seconds)
        if step.hang:
            await request.receive()
        return status


def _vectors(model: str, texts: Sequence[str], dimensions: int | None) -> list[list[float]]:
    """Not of unit length: the real ones are not either when they are cut."""
    size = dimensions or USUAL_DIMENSIONS
    return [
        [3.0 * float(number) for number in bag_of_words(text, salt=model, dimensions=size)]
        for text in texts
    ]
