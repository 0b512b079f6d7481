"""The scripted model server as a process of its own, steered from outside."""

from __future__ import annotations

import openai
import pytest

from tests.servers.model_server import RemoteModelServer, Step, spawned_model_server


async def ask(server: RemoteModelServer, text: str, key: str = "key") -> str | None:
    async with openai.AsyncOpenAI(
        base_url=server.openai_base_url, api_key=key, max_retries=0
    ) as client:
        answer = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": text}]
        )
    return answer.choices[0].message.content


async def test_it_is_steered_and_read_over_control() -> None:
    async with spawned_model_server() as server:
        assert await ask(server, "hello") == "echo: hello"
        await server.script(Step(text="scripted"), Step(status=500), api_key="right")
        assert await ask(server, "hello", key="right") == "scripted"
        with pytest.raises(openai.InternalServerError):
            await ask(server, "hello", key="right")
        with pytest.raises(openai.AuthenticationError):
            await ask(server, "hello", key="wrong")
        assert [request.status for request in await server.requests()] == [200, 200, 500, 401]
        assert [request.size for request in await server.requests()] == [60] * 4
        await server.forget_requests()
        assert await server.requests() == ()


async def test_it_lists_its_models() -> None:
    async with (
        spawned_model_server() as server,
        openai.AsyncOpenAI(base_url=server.openai_base_url, api_key="key") as client,
    ):
        assert [model.id async for model in client.models.list()] == ["scripted"]
