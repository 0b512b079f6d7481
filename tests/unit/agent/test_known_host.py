from __future__ import annotations

import stat
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter, Feature
from gaia.agent.faults import Fault, FaultReader, http_fault
from gaia.agent.health import ModelHealth
from gaia.agent.known_host import KEPT, KnownHost, about, shortened, size
from gaia.agent.refusals import Refusal
from gaia.agent.resilience import Patience, ResilientLlm
from gaia.errors import ModelError, ModelRefusedError, ModelTooLongError
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import ModelSettings
from gaia.testing.clock import FakeClock
from gaia.testing.function_model import Answer, FunctionModel

TOO_LONG = "the request exceeds the available context size"


class HostError(Exception):
    def __init__(self, message: str, status: int = 400, fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.refusal = Refusal(status, message, fields)


def read(error: Exception, now: datetime) -> Fault:
    assert isinstance(error, HostError)
    return http_fault(error.refusal, str(error), {}, now, key="A_KEY")


def said(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def talk(turns: int) -> list[types.Content]:
    """So many turns, each with a call of a tool, and the present one."""
    contents: list[types.Content] = []
    for number in range(turns):
        called = types.Part(function_call=types.FunctionCall(name="look", args={"at": number}))
        came = types.Part(function_response=types.FunctionResponse(name="look", response={}))
        contents += [
            said("user", f"question {number}"),
            types.Content(role="model", parts=[called]),
            types.Content(role="user", parts=[came]),
            said("model", f"answer {number}"),
        ]
    return [*contents, said("user", "and now?")]


def asks(contents: list[types.Content], **config: Any) -> LlmRequest:
    return LlmRequest(contents=contents, config=types.GenerateContentConfig(**config))


class Bench:
    """A resilient model over scripted answers; the host is known from a file."""

    def __init__(self, *answers: Answer, file: Path | None = None) -> None:
        script = iter(answers)
        self.model = FunctionModel(lambda request: next(script))
        self.clock = FakeClock()
        self.file = file
        self.body = BodyFilter()
        self.restart()

    def restart(self) -> None:
        self.known = KnownHost(self.clock, "a host", self.file)
        self.known.attach(self.body)
        self.llm = ResilientLlm(
            self.model,
            reader=FaultReader(read),
            patience=Patience(60.0, retries=0),
            clock=self.clock,
            chance=lambda: 0.0,
            health=ModelHealth(),
            known=self.known,
        )

    async def ask(self, request: LlmRequest, *, stream: bool = False) -> str:
        text = ""
        async for response in self.llm.generate_content_async(request, stream):
            assert response.content is not None
            text = "".join(part.text or "" for part in response.content.parts or [])
        return text

    @property
    def asked(self) -> Sequence[LlmRequest]:
        return self.model.requests


async def test_a_conversation_that_is_too_long_goes_on_without_its_oldest_turns() -> None:
    bench = Bench(HostError(TOO_LONG), "fine", "fine")
    request = asks(talk(28))
    assert await bench.ask(request) == "fine"
    refused, taken = bench.asked
    assert size(taken) < size(refused) * 0.6
    assert len(request.contents) == len(talk(28)), "what the session has stays as it is"
    first = taken.contents[0].parts
    assert first is not None
    assert first[0].text == "question 15", "whole turns go, five at a time"
    assert taken.contents[-1] == request.contents[-1]
    assert await bench.ask(request) == "fine"
    assert len(bench.asked) == 3, "the limit is known before it is asked again"
    assert bench.asked[-1].contents == taken.contents


async def test_a_host_that_tells_its_limit_is_asked_for_what_fits() -> None:
    bench = Bench(HostError("prompt is too long: 2200 tokens > 2000 maximum"), "fine")
    request = asks(talk(28))
    await bench.ask(request)
    assert bench.known.most_tokens == pytest.approx(size(request) / 1.1 * 0.8)
    assert len(bench.asked[-1].contents) > len(request.contents) / 2


async def test_a_host_that_is_never_content_is_asked_for_the_present_turn_last() -> None:
    bench = Bench(*[HostError(TOO_LONG)] * 9)
    with pytest.raises(ModelTooLongError, match="/reset"):
        await bench.ask(asks(talk(28)))
    assert bench.asked[-1].contents == [said("user", "and now?")]


async def test_one_message_that_is_too_long_is_asked_once_and_tells_the_limit() -> None:
    bench = Bench(HostError("Input is too long"))
    with pytest.raises(ModelTooLongError):
        await bench.ask(asks([said("user", "long " * 1000)]))
    assert len(bench.asked) == 1
    assert bench.known.most_tokens is not None


def test_the_present_turn_stays_with_its_calls() -> None:
    contents = [*talk(3), *talk(1)[1:3]]
    assert shortened(asks(contents), 0).contents == contents[-3:]


TOOL = types.Tool(function_declarations=[types.FunctionDeclaration(name="look")])


async def test_a_host_without_tools_is_asked_without_them_and_their_calls() -> None:
    bench = Bench(HostError("m does not support tools"), "fine", "fine")
    request = asks(talk(1), tools=[TOOL])
    assert await bench.ask(request) == "fine"
    assert await bench.ask(request) == "fine"
    assert len(bench.asked) == 3
    assert bench.asked[-1].config.tools is None
    assert bench.asked[-1].contents == [*talk(1)[::3], said("user", "and now?")]
    assert bench.known.describe() == "without tools"


async def test_what_is_left_out_takes_no_room_from_the_conversation() -> None:
    lacks = [HostError("m does not support tools"), HostError("System role not supported")]
    bench = Bench(*lacks, HostError("request (1100 tokens) exceeds limit (1000 tokens)"), "fine")
    many = types.Tool(
        function_declarations=[
            types.FunctionDeclaration(name=f"tool_{number}", description="what it is for " * 20)
            for number in range(20)
        ]
    )
    await bench.ask(asks(talk(28), tools=[many], system_instruction="Be brief."))
    taken = bench.asked[-1].contents
    assert [part.text for part in taken[0].parts or []] == ["Be brief.", "question 10"]


async def test_instructions_stand_before_the_conversation_of_a_host_without_a_system_role() -> None:
    bench = Bench(HostError("System role not supported"), "fine")
    await bench.ask(asks([said("user", "hi")], system_instruction="Be brief."))
    (_, taken) = bench.asked
    assert taken.config.system_instruction is None
    told = [part.text for part in taken.contents[0].parts or []]
    assert told == ["Be brief.", "hi"]


async def test_a_host_that_does_not_stream_is_asked_for_the_whole_answer() -> None:
    bench = Bench(HostError("streaming is not supported"), "fine")
    assert await bench.ask(asks([said("user", "hi")]), stream=True) == "fine"


async def test_what_did_not_help_is_asked_for_again(tmp_path: Path) -> None:
    bench = Bench(
        HostError("Unknown parameter: 'store'", fields=("store",)),
        HostError("messages: roles must alternate"),
        file=tmp_path / "host.json",
    )
    with pytest.raises(ModelRefusedError):
        await bench.ask(asks([said("user", "hi")]))
    assert bench.known.left_out == []
    assert list(bench.body.fields) == []
    assert not (tmp_path / "host.json").exists()


async def test_a_host_that_refuses_whatever_is_left_is_given_up() -> None:
    fields = [f"field_{number}" for number in range(20)]
    bench = Bench(*[HostError(f"Unknown parameter: {each}", fields=(each,)) for each in fields])
    with pytest.raises(ModelError):
        await bench.ask(asks([said("user", "hi")]))
    assert len(bench.asked) == 9


async def test_what_is_known_outlives_a_restart_and_not_a_day(tmp_path: Path) -> None:
    file = tmp_path / "model-host.json"
    unknown = HostError("Unknown parameter: 'store'", fields=("store",))
    bench = Bench(unknown, HostError(TOO_LONG), "fine", file=file)
    await bench.ask(asks(talk(8)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    bench.restart()
    assert bench.known.left_out == ["store"]
    assert list(bench.body.fields) == ["store"]
    assert bench.known.most_tokens is not None
    assert "and now?" not in file.read_text()
    bench.clock.advance(KEPT / timedelta(seconds=1))
    assert (bench.known.left_out, bench.known.most_tokens) == ([], None)
    assert bench.known.describe() == ""


def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path) -> None:
    file = tmp_path / "model-host.json"
    file.write_text('{"about": "a ho')
    assert KnownHost(FakeClock(), "a host", file).left_out == []


def test_other_settings_are_about_another_host() -> None:
    model = ResolvedModel("openai", "m", "http://h/v1", SecretStr("a key"))
    one, other = ModelSettings(), ModelSettings(timeout_seconds=7)
    assert about(model, one) == about(model, one)
    assert about(model, one) != about(model, other)


@pytest.mark.parametrize(
    ("message", "left_out"),
    [("this model does not support image input", [Feature.FILES]), ("Could not process image", [])],
)
async def test_a_model_without_eyes_is_known_and_one_bad_picture_says_nothing(
    message: str, left_out: list[str]
) -> None:
    bench = Bench(HostError(message))
    photo = types.Part(inline_data=types.Blob(mime_type="image/png", data=b"a"))
    with pytest.raises(ModelRefusedError):
        await bench.ask(asks([types.Content(role="user", parts=[photo])]))
    assert bench.known.left_out == left_out


async def test_a_field_is_taken_out_of_the_body_that_is_sent() -> None:
    body = BodyFilter()
    body.fields = ["stream_options", "generationConfig.temperature", "absent.field"]
    got: list[bytes] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        got.append(b"".join([piece async for piece in request.stream]))
        assert request.headers.get("content-length", "0") == str(len(got[-1]))
        return httpx.Response(200)

    sent = {"model": "m", "stream_options": {}, "generationConfig": {"temperature": 1, "top": 2}}
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(answer), event_hooks={"request": [body]}
    ) as http:
        await http.post("http://h/", json=sent)
        await http.get("http://h/")
    assert httpx.Response(200, content=got[0]).json() == {
        "model": "m",
        "generationConfig": {"top": 2},
    }
