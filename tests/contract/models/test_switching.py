"""A conversation goes on with another provider's model, each pair through the real clients.

The servers answer as the providers' documentation has it, with thoughts and signatures, and
what they are sent is held to what the providers refuse otherwise.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from pydantic import JsonValue, SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from gaia.agent.connection import Connection
from gaia.agent.prompt import PlainHistory
from gaia.agent.remote import completions, gemini, openai
from gaia.settings.providers import ModelProvider, ResolvedModel
from tests.servers.serve import serving

from .conftest import APP, INSTRUCTION, SESSION, USER, tell_weather, without_anthropic
from .refusals import (
    CLAUDES_SIGNATURE,
    GEMINIS_SIGNATURE,
    THOUGHT,
    Json,
    check_completions,
    check_gemini,
    check_messages,
    check_responses,
)

CITIES = ("Oslo", "Rome")
SAID = "It rains in Oslo and in Rome."


@dataclass
class Surface:
    """One provider's API: its answers, with calls and then in words, and what it refuses."""

    provider: ModelProvider
    path: str
    connect: Callable[[ResolvedModel], Connection]
    calls: JsonValue
    words: JsonValue
    check: Callable[[Json], None]


@dataclass
class Host:
    """All providers in one server, which calls a tool and then speaks."""

    url: str = ""
    bodies: list[Json] = field(default_factory=list)

    async def serve(self, request: Request) -> JSONResponse:
        body = cast(Json, await request.json())
        self.bodies.append(body)
        surface = next(each for each in SURFACES.values() if each.path in request.url.path)
        surface.check(body)
        return JSONResponse(surface.calls if len(self.bodies) % 2 else surface.words)


def connect_anthropic(resolved: ResolvedModel) -> Connection:
    from gaia.agent.remote import anthropic

    return anthropic.connect(resolved)


def chat_completion(message: Json, reason: str) -> JsonValue:
    choice: JsonValue = {"index": 0, "message": dict(message), "finish_reason": reason}
    head: dict[str, JsonValue] = {"id": "a", "object": "chat.completion", "created": 0}
    return {**head, "model": "m", "choices": [choice]}


def response(*output: JsonValue) -> JsonValue:
    usage: JsonValue = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    return {
        **{"id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed"},
        **{"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
        "output": list(output),
        "usage": usage,
    }


def message_of(*content: JsonValue, reason: str) -> JsonValue:
    return {
        **{"id": "msg", "type": "message", "role": "assistant", "model": "m"},
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def candidate(*parts: JsonValue) -> JsonValue:
    content: JsonValue = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


SURFACES = {
    "gemini": Surface(
        "gemini",
        ":generateContent",
        lambda resolved: gemini.connect(resolved, api_version=""),
        candidate(
            {"text": THOUGHT, "thought": True, "thoughtSignature": GEMINIS_SIGNATURE},
            *(
                {
                    "functionCall": {"name": "tell_weather", "args": {"city": city}},
                    "thoughtSignature": GEMINIS_SIGNATURE,
                }
                for city in CITIES
            ),
        ),
        candidate({"text": SAID}, {"text": "", "thoughtSignature": GEMINIS_SIGNATURE}),
        check_gemini,
    ),
    "completions": Surface(
        "openai",
        "/chat/completions",
        completions.connect,
        chat_completion(
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": THOUGHT,
                "tool_calls": [
                    {
                        "id": "call_0",  # Some hosts give each the same.
                        "type": "function",
                        "function": {
                            "name": "tell_weather",
                            "arguments": json.dumps({"city": city}),
                        },
                    }
                    for city in CITIES
                ],
            },
            "tool_calls",
        ),
        chat_completion({"role": "assistant", "content": SAID}, "stop"),
        check_completions,
    ),
    "responses": Surface(
        "openai",
        "/responses",
        openai.connect,
        response(
            {
                "id": "rs",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": THOUGHT}],
                "encrypted_content": "sealed",
            },
            *(
                {
                    "id": f"fc_{city}",
                    "type": "function_call",
                    "status": "completed",
                    "call_id": f"call_{city}_{'x' * 30}",
                    "name": "tell_weather",
                    "arguments": json.dumps({"city": city}),
                }
                for city in CITIES
            ),
        ),
        response(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": SAID, "annotations": []}],
            }
        ),
        check_responses,
    ),
    "anthropic": Surface(
        "anthropic",
        "/messages",
        connect_anthropic,
        message_of(
            {"type": "thinking", "thinking": THOUGHT, "signature": CLAUDES_SIGNATURE},
            *(
                {
                    "type": "tool_use",
                    "id": f"toolu_{city}",
                    "name": "tell_weather",
                    "input": {"city": city},
                }
                for city in CITIES
            ),
            reason="tool_use",
        ),
        message_of({"type": "text", "text": SAID}, reason="end_turn"),
        check_messages,
    ),
}
REMOTE = [
    pytest.param(name, marks=without_anthropic if name == "anthropic" else ()) for name in SURFACES
]


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    host = Host()
    app = Starlette(routes=[Route("/{path:path}", host.serve, methods=["POST"])])
    async with serving(app) as url:
        host.url = url
        yield host


class Talk:
    """One session, which its turns outlive."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.sessions = InMemorySessionService()

    async def say(self, text: str, name: str) -> str:
        surface = SURFACES[name]
        resolved = ResolvedModel(surface.provider, "m", self._host.url, SecretStr("key"))
        connection = surface.connect(resolved)
        agent = LlmAgent(
            name="gaia", model=connection.llm, instruction=INSTRUCTION, tools=[tell_weather]
        )
        history = PlainHistory(surface.provider)
        runner = Runner(
            app=App(name=APP, root_agent=agent, plugins=[history]),
            session_service=self.sessions,
            auto_create_session=True,
        )
        said = ""
        async for event in runner.run_async(
            user_id=USER, session_id=SESSION, new_message=types.UserContent(text)
        ):
            parts = event.content.parts if event.content else None
            said = "".join(part.text or "" for part in parts or [] if not part.thought) or said
        await connection.close()
        return said

    async def held(self) -> Sequence[types.Content]:
        session = await self.sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION)
        assert session is not None
        return [event.content for event in session.events if event.content]


@pytest.mark.parametrize("after", REMOTE)
@pytest.mark.parametrize("before", REMOTE)
async def test_a_conversation_goes_on_with_another_providers_model(
    host: Host, before: str, after: str
) -> None:
    talk = Talk(host)
    assert await talk.say("How is the weather in Oslo and Rome?", before) == SAID
    held = [content.model_copy(deep=True) for content in await talk.held()]
    assert await talk.say("And now?", after) == SAID
    assert len(host.bodies) == 4
    assert (await talk.held())[: len(held)] == held
    sent = json.dumps(host.bodies[2])
    assert SAID in sent
    assert sent.count("rain in") == len(CITIES)


@pytest.mark.parametrize("after", REMOTE)
async def test_a_conversation_with_the_embedded_model_goes_on(host: Host, after: str) -> None:
    talk = Talk(host)
    session = await talk.sessions.create_session(app_name=APP, user_id=USER, session_id=SESSION)
    for author, content in (
        ("user", types.UserContent("Hello")),
        ("gaia", types.ModelContent("Hello, Ada.")),
    ):
        await talk.sessions.append_event(session, Event(author=author, content=content))
    assert await talk.say("How is the weather in Oslo and Rome?", after) == SAID
    assert "Hello, Ada." in json.dumps(host.bodies[0])
