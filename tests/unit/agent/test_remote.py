"""What the adapters make of errors that are awkward to provoke over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from types import SimpleNamespace

import httpx
import openai
import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from google.genai.errors import ClientError
from pydantic import SecretStr

from gaia.agent.adaptations import Feature
from gaia.agent.faults import Fault
from gaia.agent.remote import completions, gemini
from gaia.agent.remote import openai as openai_adapter
from gaia.agent.remote.errors import HostError
from gaia.errors import ModelRejectedError, ModelUnpaidError
from gaia.settings.providers import ResolvedModel
from gaia.testing.clock import START

REQUEST = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")


def openai_fault(status: int, body: Mapping[str, object]) -> Fault:
    """What a body is read as, where the SDK has only its `error` for it."""
    response = httpx.Response(status, request=REQUEST, json={"error": body})
    error = openai.APIStatusError(str(body["message"]), response=response, body=body)
    return openai_adapter.connect(ResolvedModel("openai", "m")).reader.read(error, START)


def test_a_spent_quota_is_not_waited_for() -> None:
    body = {"code": "insufficient_quota", "message": "You exceeded your current quota"}
    fault = openai_fault(429, body)
    assert (fault.passing, fault.error) == (False, ModelUnpaidError)


def test_what_a_host_behind_the_host_says_is_read() -> None:
    behind = {"raw": '{"error":{"message":"m does not support tools"}}'}
    fault = openai_fault(400, {"message": "Provider returned error", "metadata": behind})
    assert fault.refusal is not None
    assert fault.refusal.lacking(frozenset({Feature.TOOLS}), ()) is Feature.TOOLS


def test_a_host_that_takes_no_pictures_refuses_whatever_status_it_says_so_with() -> None:
    message = "image input is not supported - hint: you may need to provide the mmproj"
    assert not openai_fault(500, {"message": message}).passing


def test_an_error_event_within_a_stream_may_pass() -> None:
    error = openai.APIError("The server had an error", REQUEST, body=None)
    fault = openai_adapter.connect(ResolvedModel("openai", "m")).reader.read(error, START)
    assert (fault.cause, fault.passing) == ("HTTP 500: The server had an error", True)


def test_what_a_host_without_an_sdk_refuses_is_read_alike() -> None:
    body = {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}
    error = HostError(httpx.Response(429, request=REQUEST, json=body), body)
    fault = completions.READER.read(error, START)
    assert (fault.cause, fault.error) == (
        "HTTP 429: You exceeded your current quota",
        ModelUnpaidError,
    )


def test_an_error_within_its_stream_may_pass() -> None:
    told = {"message": "The server had an error", "type": "server_error"}
    error = HostError(httpx.Response(200, request=REQUEST), told)
    fault = completions.READER.read(error, START)
    assert (fault.cause, fault.passing) == ("HTTP 500: The server had an error", True)


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("llama3", "max_tokens"),
        ("gpt-5-chat-latest", "max_tokens"),
        ("openai/gpt-5.6-terra", "max_completion_tokens"),
        ("o4-mini", "max_completion_tokens"),
    ],
)
async def test_a_model_is_told_the_longest_answer_by_the_name_that_it_takes(
    model: str, limit: str
) -> None:
    sent: list[dict[str, object]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={"choices": [{"message": {"content": "Hello"}}]})

    config = types.GenerateContentConfig(max_output_tokens=7)
    request = LlmRequest(contents=[types.UserContent("Hello")], config=config)
    transport = httpx.MockTransport(answer)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        llm = completions.CompletionsLlm(model, client)
        async for _ in llm.generate_content_async(request):
            pass
    assert sent == [{"model": model, "messages": [{"role": "user", "content": "Hello"}], limit: 7}]


@pytest.mark.parametrize(
    "details", [{}, {"error": {}}, {"error": {"details": [{"retryDelay": "7s"}]}}, [], "busy"]
)
def test_a_busy_answer_of_another_shape_names_no_wait(details: object) -> None:
    model = ResolvedModel("gemini", "m", api_key=SecretStr("key"))
    error = ClientError(429, details, httpx.Response(429, request=REQUEST))
    fault = gemini.connect(model, api_version="").reader.read(error, START)
    assert (fault.passing, fault.wait_seconds) == (True, None)


def test_a_wrong_key_of_gemini_is_told_from_a_bad_request() -> None:
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    details = {"error": {"message": "API key not valid.", "details": [reason]}}
    model = ResolvedModel("gemini", "m", api_key=SecretStr("key"))
    error = ClientError(400, details, httpx.Response(400, request=REQUEST))
    fault = gemini.connect(model, api_version="").reader.read(error, START)
    assert (fault.error, fault.remedy) == (ModelRejectedError, "check GEMINI_API_KEY")


@pytest.mark.parametrize(("idle_seconds", "connections"), [(3.0, 1), (4.5, 2)])
async def test_no_request_goes_over_a_connection_that_its_host_is_about_to_close(
    idle_seconds: float, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    opened: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        with suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    clock = SimpleNamespace(monotonic=lambda: seconds)
    monkeypatch.setattr("httpcore._async.http11.time", clock)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, completions.open_client(f"http://127.0.0.1:{port}", "") as client:
        await client.get("models")
        seconds += idle_seconds
        await client.get("models")
        assert len(opened) == connections
    for writer in opened:
        await writer.wait_closed()
