"""A question for JSON arrives at each provider's server with its schema, as its protocol
says, and the answer comes back as bare JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

import httpx
import pytest
from pydantic import JsonValue, SecretStr

from gaia.agent.models import resilient
from gaia.agent.remote import openai
from gaia.agent.structured import StructuredModel
from gaia.errors import (
    ModelFruitlessError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from gaia.memory.extraction import AskModel
from gaia.settings.providers import ResolvedModel
from gaia.testing.clock import FakeClock
from tests.servers.llmock import running_llmock
from tests.servers.model_server import Step

from .conftest import SETTINGS, Bench

FACT = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 200},
        "target": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["target", "text"],
    "additionalProperties": False,
}
SHAPE: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1},
        "facts": {"type": "array", "items": FACT, "maxItems": 6},
        "maxItems": {"type": "integer"},
    },
    "required": ["summary", "facts", "maxItems"],
    "additionalProperties": False,
}
ANSWER = '{"summary": "Ada moved.", "facts": [], "maxItems": 1}'
UNBOUNDED_FACT = {**FACT, "properties": {**FACT["properties"], "text": {"type": "string"}}}  # type: ignore[dict-item]


def structured(bench: Bench) -> AskModel:
    return StructuredModel(bench.talk.model)


async def ask(model: AskModel) -> JsonValue:
    answer = await model("Find facts.", "Ada: I moved.", SHAPE, purpose="digest")
    told: JsonValue = json.loads(answer.text)
    return told


def schema_sent(bench: Bench) -> Mapping[str, JsonValue]:
    """The schema of the last request, where its protocol has it."""
    body: JsonValue = dict(bench.server.requests[-1].body)
    paths: dict[str, tuple[str | int, ...]] = {
        "gemini": ("generationConfig", "responseJsonSchema"),
        "openai": ("response_format", "json_schema", "schema"),
        "anthropic": ("tools", 0, "input_schema"),
    }
    for step in paths[bench.provider]:
        body = body[step]  # type: ignore[index]
    assert isinstance(body, dict)
    return body


async def test_the_schema_is_sent_without_bounds_and_the_answer_is_json(bench: Bench) -> None:
    bench.server.script(Step(text=ANSWER))

    assert await ask(structured(bench)) == json.loads(ANSWER)

    (request,) = bench.server.requests
    assert (request.system, request.user_texts) == ("Find facts.", ("Ada: I moved.",))
    properties = schema_sent(bench)["properties"]
    assert properties == {
        "summary": {"type": "string"},
        "facts": {"type": "array", "items": UNBOUNDED_FACT},
        "maxItems": {"type": "integer"},
    }


async def test_the_call_and_its_tokens_are_counted(bench: Bench) -> None:
    bench.server.script(Step(text=ANSWER))
    usage = (await structured(bench)("Find.", "I moved.", SHAPE, purpose="profile")).usage
    assert (usage.model, usage.purpose, usage.calls) == ("a-model", "profile", 1)
    assert usage.tokens_in > 0
    assert usage.tokens_out > 0


async def test_an_answer_that_was_cut_off_is_an_error(bench: Bench) -> None:
    bench.server.script(Step(text='{"summary": "Ada mo', cut=True))
    with pytest.raises(ModelFruitlessError, match="cut off") as caught:
        await ask(structured(bench))
    assert caught.value.tokens_in > 0
    assert caught.value.tokens_out > 0


async def test_a_broken_host_is_tried_again_and_given_up(bench: Bench) -> None:
    bench.server.script(Step(status=503, retry_after="0", times=3))
    with pytest.raises(ModelUnavailableError, match="3 tries"):
        await ask(structured(bench))


async def test_an_answer_that_nobody_waits_for_may_take_longer(bench: Bench) -> None:
    bench.server.script(Step(hang=True))
    asking = asyncio.create_task(ask(structured(bench)))
    await bench.server.until_asked()
    (deadline,) = bench.clock.sleeping
    assert deadline == 5 * SETTINGS.timeout_seconds
    bench.clock.advance(deadline)
    with pytest.raises(ModelTimeoutError):
        await asking


async def test_a_blocked_answer_is_asked_for_once(bench: Bench) -> None:
    bench.server.script(Step(blocked=True, times=None))
    with pytest.raises(ModelRefusedError):
        await ask(structured(bench))
    assert len(bench.server.requests) == 1


@pytest.mark.parametrize("bench", ["openai"], indirect=True)
@pytest.mark.parametrize(
    ("refusals", "format_sent"), [(1, {"type": "json_object"}), (2, None)], ids=["json", "words"]
)
async def test_a_host_that_refuses_the_schema_is_told_it_in_words(
    bench: Bench, refusals: int, format_sent: JsonValue
) -> None:
    model = structured(bench)
    fenced = f"<think>Let me see.</think>\n\n```json\n{ANSWER}\n```"
    bench.server.script(Step(status=400, times=refusals), Step(text=fenced, times=None))

    assert await ask(model) == json.loads(ANSWER)
    assert await ask(model) == json.loads(ANSWER)

    assert len(bench.server.requests) == refusals + 2, "it remembers what the host takes"
    last = bench.server.requests[-1]
    assert last.body.get("response_format") == format_sent
    assert last.system.startswith("Find facts.")
    assert '"summary":{"type":"string"}' in last.system


@pytest.mark.parametrize("bench", ["openai"], indirect=True)
async def test_a_host_that_refuses_whatever_it_is_asked_is_asked_for_the_schema_again(
    bench: Bench,
) -> None:
    model = structured(bench)
    bench.server.script(Step(status=400, times=3), Step(text=ANSWER))
    with pytest.raises(ModelRefusedError):
        await ask(model)
    assert await ask(model) == json.loads(ANSWER)
    assert "properties" in schema_sent(bench)


async def test_openais_own_api_gets_the_schema_and_answers_by_it() -> None:
    with running_llmock() as url:
        resolved = ResolvedModel("openai", "a-model", f"{url}/v1", SecretStr("key"))
        connection = openai.connect(resolved)
        model = resilient(connection, resolved, SETTINGS, FakeClock(), chance=lambda: 0.0)
        told = await ask(StructuredModel(model))
        await model.close()
        async with httpx.AsyncClient(base_url=url) as http:
            served = (await http.get("/_llmock/requests")).text
    assert isinstance(told, dict)
    assert set(told) == {"summary", "facts", "maxItems"}
    assert '"json_schema"' in served
    assert '"digest"' in served
