"""The metrics' own app serves them, and nothing else."""

from __future__ import annotations

import asyncio
import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message

from gaia.errors import ListenError, StoreError
from gaia.ops.report import ChannelStatus, PartStatus, StatusReport
from gaia.ops.status import Status
from gaia.testing.clock import FakeClock
from gaia.web.app import HEALTH_SECONDS, local_app, metrics_app, public_health_route
from gaia.web.server import listen_on_port
from tests.harness.reports import WELL


async def text() -> bytes:
    return b"gaia_ready 1.0\n"


async def test_only_metrics_are_served() -> None:
    transport = httpx.ASGITransport(app=metrics_app(text))
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        answer = await client.get("/metrics")
        assert answer.text == "gaia_ready 1.0\n"
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert (await client.get("/healthz")).status_code == 404
        assert (await client.post("/metrics")).status_code == 405


def test_a_port_that_is_taken_is_told_by_its_setting() -> None:
    with listen_on_port("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"{port}.*metrics\.port.*metrics\.enabled"):
            listen_on_port("127.0.0.1", port, block="metrics")


def test_who_connects_before_the_server_runs_waits_for_it() -> None:
    with listen_on_port("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname(), timeout=1).close()


CAUSE = "/home/ada/.gaia/gaia.db is damaged"


class Looks:
    """Counts the reports that were asked for."""

    def __init__(self, report: StatusReport) -> None:
        self.report = report
        self.error: StoreError | None = None
        self.count = 0

    async def __call__(self) -> StatusReport:
        self.count += 1
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return self.report


async def test_the_public_port_says_well_or_not_and_nothing_else() -> None:
    broken = PartStatus(name="recall", ok=False, detail=CAUSE)
    deaf = ChannelStatus(name="telegram", ok=False, detail=CAUSE)
    looks, clock = Looks(WELL.model_copy(update={"recall": broken})), FakeClock()
    app = Starlette(routes=[public_health_route(looks, clock)])
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:

        async def told() -> tuple[int, object]:
            clock.advance(HEALTH_SECONDS)
            answer = await client.get("/healthz")
            return answer.status_code, answer.json()

        assert await told() == (200, {"status": "ok"})
        looks.report = WELL.model_copy(update={"channels": (deaf,)})
        assert await told() == (503, {"status": "failing"})
        looks.error = StoreError(CAUSE)
        assert await told() == (503, {"status": "failing"})


async def test_however_often_it_is_asked_gaia_looks_once_a_second() -> None:
    looks, clock = Looks(WELL), FakeClock()
    app = Starlette(routes=[public_health_route(looks, clock)])
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        for expected in (1, 2):
            await asyncio.gather(*(client.get("/healthz") for _ in range(50)))
            assert looks.count == expected
            clock.advance(HEALTH_SECONDS)


async def test_who_hangs_up_in_the_middle_of_a_request_is_no_mistake() -> None:
    async def wake() -> None:
        raise AssertionError

    async def read(request: Request) -> Response:
        return Response(await request.body())

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    route = Route("/local/read", read, methods=["POST"])
    app = local_app(Status.__new__(Status), wake, [route])
    scope = {"type": "http", "method": "POST", "path": "/local/read", "headers": []}
    await app({**scope, "query_string": b""}, receive, send)
    assert sent[0]["status"] == 400
