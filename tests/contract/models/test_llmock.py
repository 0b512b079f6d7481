"""The adapters against llmock, a server that others wrote, as a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from pydantic import JsonValue, SecretStr

from gaia.agent.connection import Connection
from gaia.agent.models import ChatModel, resilient
from gaia.agent.remote import completions, gemini, openai
from gaia.errors import ModelRefusedError, ModelUnavailableError
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.testing.clock import FakeClock
from tests.servers.llmock import running_llmock

from .conftest import SETTINGS, Talk, let_wait, talking

pytestmark = pytest.mark.slow

WHEN_STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@dataclass(frozen=True)
class Surface:
    """One provider's API as llmock serves it."""

    provider: ModelProvider
    path: str
    connect: Callable[[ResolvedModel], Connection]


SURFACES = {
    "gemini": Surface("gemini", "/gemini", lambda model: gemini.connect(model, api_version="")),
    "completions": Surface("openai", "/v1", completions.connect),
    "responses": Surface("openai", "/v1", openai.connect),
}


@dataclass(frozen=True)
class Peer:
    """A talk through one of llmock's surfaces."""

    url: str
    clock: FakeClock
    talk: Talk

    async def script(self, **behavior: JsonValue) -> None:
        await self.post("/_llmock/scenario", {"behaviors": [behavior]})

    async def post(self, path: str, body: JsonValue) -> None:
        async with httpx.AsyncClient(base_url=self.url) as http:
            (await http.post(path, json=body)).raise_for_status()


@pytest.fixture(scope="module")
def llmock_url() -> Iterator[str]:
    """The address of a running llmock."""
    with running_llmock() as url:
        yield url


@pytest.fixture(params=SURFACES)
async def peer(request: pytest.FixtureRequest, llmock_url: str) -> AsyncIterator[Peer]:
    clock = FakeClock()
    async with talking(model_at(llmock_url, SURFACES[request.param], clock)) as talk:
        peer = Peer(llmock_url, clock, talk)
        await peer.post("/_llmock/reset", {})
        yield peer


def model_at(url: str, surface: Surface, clock: FakeClock) -> ChatModel:
    resolved = ResolvedModel(surface.provider, "a-model", url + surface.path, SecretStr("key"))
    connection = surface.connect(resolved)
    return resilient(connection, resolved, SETTINGS, clock, chance=lambda: 0.0)


@WHEN_STREAMED
async def test_a_question_is_answered(peer: Peer, stream: bool) -> None:
    await peer.script(type="reply", text="All is well today.")
    reply = await peer.talk.say("how are you", stream=stream)
    assert reply.text == "All is well today."
    assert "".join(reply.previews) == ("All is well today." if stream else "")
    assert reply.tokens > 0


@WHEN_STREAMED
async def test_a_tool_is_called_and_its_result_taken(peer: Peer, stream: bool) -> None:
    call: JsonValue = {"name": "tell_weather", "arguments": {"city": "Oslo"}}
    await peer.script(type="reply", tool_calls=[call])
    await peer.script(type="reply", text="It rains in Oslo.")
    reply = await peer.talk.say("how is the weather in Oslo", stream=stream)
    assert reply.called == ["tell_weather"]
    assert reply.text == "It rains in Oslo."


@WHEN_STREAMED
async def test_a_busy_host_is_asked_again_when_it_says(peer: Peer, stream: bool) -> None:
    await peer.script(type="fail", status=429, retry_after=7)
    await peer.script(type="reply", text="Here I am.")
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(peer.talk.say("hello", stream=stream))
        await let_wait(peer.clock, 7.0)
    assert asked.result().text == "Here I am."


async def test_a_wrong_key_is_refused(peer: Peer) -> None:
    await peer.script(type="fail", status=401)
    with pytest.raises(ModelRefusedError, match="HTTP 401"):
        await peer.talk.say("hello")


@pytest.mark.parametrize("kind", ["disconnect", "truncate", "malformed"])
async def test_a_stream_that_breaks_midway_is_an_error(peer: Peer, kind: str) -> None:
    await peer.script(type="reply", text="one two three four five six seven eight")
    await peer.script(type="stream_fault", kind=kind, after_chunks=6)
    with pytest.raises(ModelUnavailableError):
        await peer.talk.say("hello", stream=True)
