"""The chat model as mem0 asks it: from a thread, by messages of the chat protocol."""

import asyncio
from pathlib import Path

import pytest

from gaia.agent.blocking import BlockingModel
from gaia.agent.models import ChatModel
from gaia.errors import ModelUnavailableError
from gaia.memory.index.opening import open_llm
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, Secrets
from gaia.testing.function_model import Answer, FunctionModel

MESSAGES = [
    {"role": "system", "content": "Find facts."},
    {"role": "user", "content": "I live in Porto."},
    {"role": "assistant", "content": "Nice."},
    {"role": "user", "content": "And I row."},
]


def blocking(model: FunctionModel) -> BlockingModel:
    return BlockingModel(ChatModel(model, "embedded", "function"), asyncio.get_running_loop())


def answering(answer: Answer) -> FunctionModel:
    return FunctionModel(lambda request: answer)


async def test_mem0_asks_the_chat_model_under_the_name_auto(tmp_path: Path) -> None:
    model = answering("Porto, rowing")
    ask = blocking(model)
    settings = ComponentSettings(provider="auto")

    def extract() -> str:
        return open_llm(Home(tmp_path), settings, Secrets(), ask).generate_response(MESSAGES)

    assert await asyncio.to_thread(extract) == "Porto, rowing"
    (request,) = model.requests
    assert request.config.system_instruction == "Find facts."
    assert request.config.response_mime_type is None
    assert [(c.role, c.parts[0].text) for c in request.contents if c.parts] == [
        ("user", "I live in Porto."),
        ("model", "Nice."),
        ("user", "And I row."),
    ]


async def test_who_wants_json_says_so_to_the_model() -> None:
    model = answering("{}")
    assert await asyncio.to_thread(blocking(model), MESSAGES[1:], wants_json=True) == "{}"
    (request,) = model.requests
    assert request.config.response_mime_type == "application/json"
    assert request.config.system_instruction is None


async def test_a_model_that_fails_fails_whoever_asked() -> None:
    ask = blocking(answering(ModelUnavailableError("it is away")))
    with pytest.raises(ModelUnavailableError, match="it is away"):
        await asyncio.to_thread(ask, MESSAGES, wants_json=False)
