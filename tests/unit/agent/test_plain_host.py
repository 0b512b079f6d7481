"""A host that is asked over plain HTTP: which models it lists, and where it sends requests."""

from __future__ import annotations

import json

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gaia.agent.remote import completions
from gaia.agent.remote.errors import HostError
from gaia.settings.providers import ResolvedModel
from tests.servers.serve import serving

ANSWER = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]),
        ({"object": "list", "data": None}, []),
        ({"object": "list"}, []),
        ({"data": [{"name": "a"}, {"id": None}, "c", {"id": "d"}]}, ["d"]),
    ],
)
async def test_a_host_lists_the_models_that_it_names(listed: object, names: list[str]) -> None:
    def models(_: Request) -> Response:
        return JSONResponse(listed)

    async with serving(Starlette(routes=[Route("/v1/models", models)])) as url:
        connection = completions.connect(ResolvedModel("openai", "a", base_url=f"{url}/v1"))
        assert connection.names is not None
        assert await connection.names() == names
        await connection.close()


async def asked(url: str) -> str:
    connection = completions.connect(ResolvedModel("openai", "m", base_url=url))
    request = LlmRequest(contents=[types.UserContent("Hello")])
    try:
        async for response in connection.llm.generate_content_async(request):
            assert response.content is not None
            assert response.content.parts is not None
        return response.content.parts[0].text or ""
    finally:
        await connection.close()


@pytest.mark.parametrize("status", [307, 308])
async def test_a_request_that_is_sent_on_has_its_body_still(status: int) -> None:
    bodies: list[object] = []

    def old(_: Request) -> Response:
        return Response(status_code=status, headers={"location": "/new/chat/completions"})

    async def new(request: Request) -> Response:
        bodies.append(json.loads(await request.body()))
        return JSONResponse(ANSWER)

    routes = [
        Route("/v1/chat/completions", old, methods=["POST"]),
        Route("/new/chat/completions", new, methods=["POST"]),
    ]
    async with serving(Starlette(routes=routes)) as url:
        assert await asked(f"{url}/v1") == "Hello"
    assert bodies == [{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}]


@pytest.mark.parametrize("status", [300, 302, 304])
async def test_an_answer_that_leads_nowhere_is_an_error(status: int) -> None:
    def nowhere(_: Request) -> Response:
        return Response(status_code=status)

    routes = [Route("/v1/chat/completions", nowhere, methods=["POST"])]
    async with serving(Starlette(routes=routes)) as url:
        with pytest.raises(HostError) as caught:
            await asked(f"{url}/v1")
    assert caught.value.status_code == status
