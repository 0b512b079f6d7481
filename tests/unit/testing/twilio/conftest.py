"""A Twilio of one's own, the real client that talks to it, and whoever it calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from twilio.rest import Client

from channels.whatsapp.http import HttpxClient
from gaia.testing.clock import FakeClock
from gaia.testing.serving import serving
from gaia.testing.twilio import TwilioServer, running_twilio

PUBLIC = "https://gaia.example"
TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>'


@dataclass(slots=True)
class Callee:
    """Who is told of messages: keeps the requests, and answers what it is told to."""

    url: str = ""
    requests: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)
    answer: Callable[[], Response] = lambda: Response(TWIML, media_type="text/xml")

    async def __call__(self, request: Request) -> Response:
        async with request.form() as form:
            values = {name: str(value) for name, value in form.items()}
        self.requests.append((request.url.path, values, dict(request.headers)))
        return self.answer()

    @property
    def forms(self) -> list[dict[str, str]]:
        """What was told of messages."""
        return [form for path, form, _ in self.requests if path == "/hooks/whatsapp"]

    @property
    def statuses(self) -> list[str]:
        """What was told of what became of messages."""
        return [form["MessageStatus"] for path, form, _ in self.requests if path == "/status"]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def twilio(clock: FakeClock) -> AsyncIterator[TwilioServer]:
    async with running_twilio(clock) as server:
        yield server


@pytest.fixture
async def callee(twilio: TwilioServer) -> AsyncIterator[Callee]:
    callee = Callee()
    app = Starlette(routes=[Route("/{path:path}", callee, methods=["POST"])])
    async with serving(app) as url:
        callee.url = url
        twilio.calls(PUBLIC, at=url)
        yield callee


@pytest.fixture
async def client(twilio: TwilioServer) -> AsyncIterator[Client]:
    # Only this machine is called, and certificates take a while to load.
    async with httpx.AsyncClient(verify=False) as http:  # noqa: S501
        yield Client(
            twilio.account_sid,
            twilio.auth_token,
            http_client=HttpxClient(http, twilio.url),
            environment={"TWILIO_EDGE": "", "TWILIO_REGION": ""},
        )
