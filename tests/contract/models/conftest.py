"""A real ADK Runner over a real client of a provider, and what came of a turn."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from pydantic import SecretStr

from gaia.agent.models import ChatModel, build_model
from gaia.paths import Home
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.settings.schema import ModelSettings
from gaia.testing.clock import FakeClock
from tests.servers.model_server import ModelServer, running_model_server

KEY = "right-key"
TIMEOUT = 60.0
INSTRUCTION = "You are gaia, and you are brief."
USER, SESSION, APP = "ada", "ada:terminal#1", "gaia"


@dataclass
class Reply:
    """What came of one turn. `previews` are the pieces of its text, as they came."""

    text: str = ""
    previews: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    tokens: int = 0

    def add(self, event: Event) -> None:
        parts = event.content.parts if event.content and event.content.parts else []
        text = "".join(part.text or "" for part in parts)
        if event.partial:
            self.previews += [text] if text else []
            return
        self.text = text or self.text
        self.called += [call.name or "" for call in event.get_function_calls()]
        if event.usage_metadata:
            self.tokens += event.usage_metadata.total_token_count or 0


def tell_weather(city: str) -> dict[str, str]:
    """Tells the weather in a city."""
    return {"weather": f"rain in {city}"}


class Talk:
    """One session of one user with a model."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self._sessions = InMemorySessionService()
        agent = LlmAgent(
            name="gaia", model=model.llm, instruction=INSTRUCTION, tools=[tell_weather]
        )
        self._runner = Runner(
            app_name=APP, agent=agent, session_service=self._sessions, auto_create_session=True
        )

    async def say(self, text: str, *, stream: bool = False) -> Reply:
        reply = Reply()
        events = self._runner.run_async(
            user_id=USER,
            session_id=SESSION,
            new_message=types.Content(role="user", parts=[types.Part(text=text)]),
            run_config=RunConfig(
                streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE
            ),
        )
        async for event in events:
            reply.add(event)
        return reply


async def let_wait(clock: FakeClock, *expected: float) -> None:
    """Let a model sleep between its tries, after a look at how long it means to."""
    for seconds in expected:
        await clock.until_sleeping(2)  # the deadline's watch, and the wait
        assert clock.sleeping[0] == seconds
        clock.advance(seconds)


@dataclass(frozen=True)
class Bench:
    """A talk with a provider's adapter that asks a scripted server."""

    provider: ModelProvider
    server: ModelServer
    clock: FakeClock
    talk: Talk


SETTINGS = ModelSettings(timeout_seconds=TIMEOUT, retries=2)


@asynccontextmanager
async def talking(model: ChatModel) -> AsyncIterator[Talk]:
    try:
        yield Talk(model)
    finally:
        await model.close()


ADDRESSES: dict[ModelProvider, Callable[[ModelServer], str]] = {
    "gemini": lambda server: server.gemini_base_url,
    "openai": lambda server: server.openai_base_url,
    "anthropic": lambda server: server.anthropic_base_url,
}

without_anthropic = pytest.mark.skipif(
    importlib.util.find_spec("anthropic") is None, reason="the extra is not installed"
)


@pytest.fixture(params=["gemini", "openai", pytest.param("anthropic", marks=without_anthropic)])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """Each provider in turn: all of them pass the same scenarios."""
    provider: ModelProvider = request.param
    clock = FakeClock()
    async with running_model_server() as server:
        resolved = ResolvedModel(provider, "a-model", ADDRESSES[provider](server), SecretStr(KEY))
        model = build_model(resolved, SETTINGS, Home(tmp_path), clock, chance=lambda: 0.0)
        async with talking(model) as talk:
            yield Bench(provider, server, clock, talk)
