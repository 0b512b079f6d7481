"""A Twilio of one's own, the real client that talks to it, and whoever it calls."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from twilio.rest import Client

from channels.whatsapp.api import HttpxClient
from gaia.testing.clock import FakeClock
from tests.servers.serve import serving
from tests.servers.twilio import TwilioServer, running_twilio
from tests.servers.twilio.callee import Callee

PUBLIC = "https://gaia.example"


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
    async with serving(callee.starlette) as url:
        callee.url = url
        twilio.calls(PUBLIC, at=url)
        yield callee


@pytest.fixture
async def client(twilio: TwilioServer) -> AsyncIterator[Client]:
    # Only this machine is called, and certificates take a while to load.
    async with httpx.AsyncClient(verify=False) as http:
        yield Client(
            twilio.account_sid,
            twilio.auth_token,
            http_client=HttpxClient(http, twilio.url),
            environment={"TWILIO_EDGE": "", "TWILIO_REGION": ""},
        )
