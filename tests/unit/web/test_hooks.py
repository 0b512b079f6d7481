"""Hooks: a provider's request reaches its channel, bounded, and nothing else does."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from gaia.messages import HookAnswer, HookRequest
from gaia.web.app import BODY_LIMIT_BYTES, hook_routes


class Listener:
    """A channel that keeps what it was handed."""

    def __init__(self) -> None:
        self.requests: list[HookRequest] = []
        self.is_broken = False

    async def hook(self, request: HookRequest) -> HookAnswer:
        self.requests.append(request)
        if self.is_broken:
            raise OSError("the disk is full")
        return HookAnswer(200, b"<Response/>", "text/xml", {"Content-Disposition": "inline"})


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
async def http(listener: Listener) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(Starlette(routes=hook_routes({"fake": listener}.get)))
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        yield client


async def test_a_request_reaches_its_channel_as_it_came(
    http: httpx.AsyncClient, listener: Listener
) -> None:
    answer = await http.post(
        "/hooks/fake/status/7?a=1&a=2", content=b"\xff\x00", headers={"X-Signature": "Abc"}
    )
    assert (answer.status_code, answer.text) == (200, "<Response/>")
    assert answer.headers["content-type"] == "text/xml; charset=utf-8"
    assert answer.headers["content-disposition"] == "inline"
    (request,) = listener.requests
    assert (request.method, request.path, request.query) == ("POST", "status/7", "a=1&a=2")
    assert request.body == b"\xff\x00"
    assert request.headers["x-signature"] == "Abc"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
async def test_each_method_that_providers_use_reaches_its_channel(
    http: httpx.AsyncClient, listener: Listener, method: str
) -> None:
    answer = await http.request(method, "/hooks/fake/media/7")
    assert answer.status_code == 200
    assert answer.headers["content-length"] == "11"
    assert [request.method for request in listener.requests] == [method]


@pytest.mark.parametrize("query", [b"\xff", b"a=%ff", b"&&=", b"\xc3\xa9"])
@pytest.mark.parametrize("host", [b"[", b"a:b:c", b"\xff", b""])
async def test_an_odd_request_reaches_its_channel_as_well(
    listener: Listener, query: bytes, host: bytes
) -> None:
    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "path": "/hooks/fake",
        "query_string": query,
        "headers": [(b"host", host)],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    await Starlette(routes=hook_routes({"fake": listener}.get))(scope, receive, send)
    assert sent[0]["status"] == 200
    assert [request.query.encode("latin-1") for request in listener.requests] == [query]


async def test_an_unknown_channel_is_not_found(http: httpx.AsyncClient, listener: Listener) -> None:
    assert (await http.post("/hooks/other", content=b"x")).status_code == 404
    assert not listener.requests


async def test_a_body_over_the_limit_is_refused_unread(
    http: httpx.AsyncClient, listener: Listener
) -> None:
    fits = await http.post("/hooks/fake", content=b"x" * BODY_LIMIT_BYTES)
    too_large = await http.post("/hooks/fake", content=b"x" * (BODY_LIMIT_BYTES + 1))
    assert (fits.status_code, too_large.status_code) == (200, 413)
    assert len(listener.requests) == 1


async def test_a_failure_asks_the_provider_to_come_again(
    http: httpx.AsyncClient, listener: Listener
) -> None:
    listener.is_broken = True
    answer = await http.post("/hooks/fake", content=b"x")
    assert answer.status_code == 503
    assert "disk" not in answer.text
