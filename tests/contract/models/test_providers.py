"""Every provider's adapter and its real client, through the same scenarios."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from gaia.agent.models import build_model
from gaia.errors import (
    ModelRefusedError,
    ModelRejectedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from gaia.paths import Home
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.testing.clock import FakeClock
from tests.servers.model_server import ScriptedCall, Step

from .conftest import (
    INSTRUCTION,
    KEY,
    SETTINGS,
    TIMEOUT,
    Bench,
    let_wait,
    talking,
    without_anthropic,
)

WHEN_STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


async def test_a_question_is_answered_with_one_request(bench: Bench) -> None:
    reply = await bench.talk.say("hello")
    assert reply.text == "echo: hello"
    assert reply.previews == []
    (request,) = bench.server.requests
    assert request.protocol == bench.provider
    assert request.model == "a-model"
    assert request.user_texts == ("hello",)
    assert request.tools == ("tell_weather",)
    assert bench.talk.model.health.report().ok


async def test_a_streamed_answer_comes_in_pieces_and_then_whole(bench: Bench) -> None:
    reply = await bench.talk.say("how are you", stream=True)
    assert reply.previews == ["echo: ", "how ", "are ", "you"]
    assert reply.text == "echo: how are you"


async def test_the_history_and_the_instruction_are_sent(bench: Bench) -> None:
    await bench.talk.say("My name is Ada.")
    reply = await bench.talk.say("What's my name?")
    assert reply.text == "Your name is Ada."
    assert all(INSTRUCTION in request.system for request in bench.server.requests)


@WHEN_STREAMED
async def test_a_tool_is_called_and_its_result_sent_back(bench: Bench, stream: bool) -> None:
    call = ScriptedCall(name="tell_weather", args={"city": "Oslo"})
    bench.server.script(Step(call=call))
    reply = await bench.talk.say("how is the weather", stream=stream)
    assert reply.called == ["tell_weather"]
    assert reply.text == 'tell_weather said: {"weather": "rain in Oslo"}'
    assert len(bench.server.requests) == 2


@WHEN_STREAMED
async def test_tokens_are_counted(bench: Bench, stream: bool) -> None:
    reply = await bench.talk.say("one two", stream=stream)
    (request,) = bench.server.requests
    instruction, question, answer = len(request.system.split()), 2, 3  # the server counts words
    assert reply.tokens == instruction + question + answer


@WHEN_STREAMED
async def test_a_busy_host_is_asked_again_when_it_says(bench: Bench, stream: bool) -> None:
    bench.server.script(Step(status=429, retry_after="7"))
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.talk.say("hello", stream=stream))
        await let_wait(bench.clock, 7.0)
    assert asked.result().text == "echo: hello"
    assert [request.status for request in bench.server.requests] == [429, 200]


@WHEN_STREAMED
async def test_a_broken_host_is_given_up_after_three_tries(bench: Bench, stream: bool) -> None:
    bench.server.script(Step(status=500, times=3))
    asked = asyncio.create_task(bench.talk.say("hello", stream=stream))
    await let_wait(bench.clock, 0.5, 1.0)
    with pytest.raises(ModelUnavailableError, match="3 tries: HTTP 500: scripted 500"):
        await asked
    assert len(bench.server.requests) == 3
    assert not bench.talk.model.health.report().ok


@WHEN_STREAMED
async def test_a_wrong_key_is_refused_at_once_and_not_shown(bench: Bench, stream: bool) -> None:
    bench.server.script(api_key="another key")
    with pytest.raises(ModelRejectedError, match=r"HTTP 401.*check [A-Z]+_API_KEY") as caught:
        await bench.talk.say("hello", stream=stream)
    assert KEY not in str(caught.value)
    assert len(bench.server.requests) == 1


async def test_the_key_is_sent(bench: Bench) -> None:
    bench.server.script(api_key=KEY)
    assert (await bench.talk.say("hello")).text == "echo: hello"


async def test_an_unknown_model_is_refused_with_what_to_check(bench: Bench) -> None:
    bench.server.script(Step(status=404))
    with pytest.raises(ModelRejectedError, match=r"HTTP 404.*check model\.name"):
        await bench.talk.say("hello")


@WHEN_STREAMED
async def test_a_host_that_never_answers_is_left_at_the_deadline(
    bench: Bench, stream: bool
) -> None:
    bench.server.script(Step(hang=True))
    asked = asyncio.create_task(bench.talk.say("hello", stream=stream))
    await bench.server.until_asked()
    bench.clock.advance(TIMEOUT)
    with pytest.raises(ModelTimeoutError, match="took longer than 60 s"):
        await asked


@pytest.mark.parametrize("fault", [Step(cut_after=2), Step(end_after=2)], ids=["cut", "ended"])
async def test_a_stream_that_breaks_midway_is_an_error(bench: Bench, fault: Step) -> None:
    after = 5 if bench.provider == "anthropic" else 2  # it opens with two events of its own
    update = {name: after for name, value in fault if value == 2}
    bench.server.script(fault.model_copy(update=update))
    with pytest.raises(ModelUnavailableError, match="broke off midway"):
        await bench.talk.say("one two three four", stream=True)
    assert len(bench.server.requests) == 1


@pytest.mark.parametrize(
    "provider", ["gemini", "openai", pytest.param("anthropic", marks=without_anthropic)]
)
async def test_a_host_that_is_down_is_named_at_once(
    provider: ModelProvider, tmp_path: Path
) -> None:
    clock = FakeClock()
    resolved = ResolvedModel(provider, "m", "http://127.0.0.1:9", SecretStr(KEY))
    model = build_model(resolved, SETTINGS, Home(tmp_path), clock, chance=lambda: 0.0)
    async with talking(model) as talk:
        with pytest.raises(
            ModelUnreachableError, match=r"cannot be reached: nothing answers at 127\.0\.0\.1:9"
        ):
            await talk.say("hello")
    assert clock.sleeping == ()


async def test_a_connection_that_breaks_before_the_answer_is_tried_again(bench: Bench) -> None:
    bench.server.script(Step(cut_after=0))
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.talk.say("hello", stream=True))
        await let_wait(bench.clock, 0.5)
    assert asked.result().text == "echo: hello"


@WHEN_STREAMED
async def test_an_answer_that_is_no_json_is_asked_for_again(bench: Bench, stream: bool) -> None:
    bench.server.script(Step(garbled=True))
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.talk.say("hello", stream=stream))
        await let_wait(bench.clock, 0.5)
    assert asked.result().text == "echo: hello"


@WHEN_STREAMED
async def test_a_blocked_answer_is_refused(bench: Bench, stream: bool) -> None:
    bench.server.script(Step(blocked=True))
    with pytest.raises(ModelRefusedError, match="refused the request"):
        await bench.talk.say("hello", stream=stream)


async def test_cancelling_a_turn_ends_its_request(bench: Bench) -> None:
    bench.server.script(Step(hang=True))
    asked = asyncio.create_task(bench.talk.say("hello"))
    await bench.server.until_asked()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert (await bench.talk.say("hello again")).text == "echo: hello again"
