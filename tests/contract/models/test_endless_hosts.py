"""Hosts whose answers have no end: the real clients read a bounded piece of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from gaia.agent.connection import connect_remote
from gaia.agent.health import ModelHealth
from gaia.agent.remote.body_bound import COMPRESSED_BYTES, STREAM_BYTES, WHOLE_BYTES
from gaia.agent.resilience import Patience, ResilientLlm
from gaia.clock import SystemClock
from gaia.errors import EndlessAnswerError
from gaia.settings.providers import ResolvedModel
from tests.servers.serve import serving

BLOCK = 1_000_000
SLACK = 7 * BLOCK
"""What the sockets between the two hold."""

REMARK = b": nothing is said by this line\n\n"
ENDLESS_EVENTS = {
    # It takes a remark for an error.
    "gemini": b"data: " + b"x" * 1000 + b"\n",
    "completions": REMARK,
    "openai": REMARK,
    "anthropic": REMARK,
}


class EndlessHost:
    """Answers every request with blanks, or events that say nothing, as long as it is read."""

    def __init__(self, kind: str, line: bytes, encoding: str = "identity") -> None:
        self.sent = 0
        self._head = [(b"content-type", kind.encode()), (b"content-encoding", encoding.encode())]
        self._block = line * (BLOCK // len(line))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._head})
        try:
            while self.sent < 3 * STREAM_BYTES:
                await send({"type": "http.response.body", "body": self._block, "more_body": True})
                self.sent += len(self._block)
        except OSError:
            return


@pytest.fixture(params=["gemini", "completions", "openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def resolved(protocol: str, url: str) -> ResolvedModel:
    provider = "openai" if protocol == "completions" else protocol
    base = f"{url}/v1" if protocol in ("completions", "openai") else url
    return ResolvedModel(provider, "m", base_url=base, api_key=SecretStr("key"))


async def ask(protocol: str, url: str, *, stream: bool) -> None:
    model = resolved(protocol, url)
    if protocol == "openai":
        from gaia.agent.remote import openai

        connection = openai.connect(model)
    else:
        connection = connect_remote(model, "v1beta")
    llm = ResilientLlm(
        connection.llm,
        reader=connection.reader,
        patience=Patience(timeout_seconds=60, retries=2),
        clock=SystemClock(),
        chance=lambda: 0.0,
        health=ModelHealth(),
    )
    request = LlmRequest(
        model="m", contents=[types.Content(role="user", parts=[types.Part(text="hi")])]
    )
    try:
        answer: AsyncIterator[object] = llm.generate_content_async(request, stream)
        async for _ in answer:
            pass
    finally:
        await connection.close()


async def test_a_document_without_end_is_read_to_the_bound(protocol: str) -> None:
    host = EndlessHost("application/json", b" ")
    async with serving(host, keeps_open=False) as url:
        with pytest.raises(EndlessAnswerError, match="came to no end"):
            await ask(protocol, url, stream=False)
    assert host.sent < WHOLE_BYTES + SLACK, "it was read further, or more than once"


async def test_a_stream_without_end_is_read_to_the_bound(protocol: str) -> None:
    host = EndlessHost("text/event-stream", ENDLESS_EVENTS[protocol])
    async with serving(host, keeps_open=False) as url:
        with pytest.raises(EndlessAnswerError, match="came to no end"):
            await ask(protocol, url, stream=True)
    assert host.sent < STREAM_BYTES + SLACK, "it was read further, or more than once"


async def test_what_may_unpack_to_anything_is_read_less_of(protocol: str) -> None:
    host = EndlessHost("application/json", b"\x1f\x8b", encoding="x-unknown")
    async with serving(host, keeps_open=False) as url:
        with pytest.raises(EndlessAnswerError, match="came to no end"):
            await ask(protocol, url, stream=False)
    assert host.sent < COMPRESSED_BYTES + SLACK
