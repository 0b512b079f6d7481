"""A gaia on WhatsApp, as a process."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from gaia.paths import Home
from tests.harness.forked import ForkServer
from tests.harness.whatsapp_house import WhatsAppHouse, whatsapp_house
from tests.servers.model_server import running_model_server


@pytest.fixture
async def house(home: Home, forks: ForkServer) -> AsyncIterator[WhatsAppHouse]:
    async with running_model_server() as model, whatsapp_house(home, forks, model) as house:
        yield house
