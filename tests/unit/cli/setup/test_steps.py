"""Whom `gaia setup` asks whether something works."""

from __future__ import annotations

import asyncio
from io import StringIO

from gaia.cli.console import WaitingLine
from gaia.cli.setup.steps import ProviderProbe
from gaia.findings import Outcome
from gaia.settings.schema import TelegramSettings
from gaia.testing.clock import FakeClock
from tests.servers.model_server import ModelServer, running_model_server
from tests.servers.telegram import ServerError, TelegramServer


def probe(*local_hosts: str) -> ProviderProbe:
    line = WaitingLine(StringIO(), {})
    return ProviderProbe(FakeClock(), line, wanted=True, local_hosts=local_hosts)


async def test_hosts_on_this_machine_are_found_where_they_are(unused_tcp_port: int) -> None:
    async with running_model_server(keeps_open=False) as models:
        nowhere = f"http://127.0.0.1:{unused_tcp_port}/v1"
        asked = probe(nowhere, models.openai_base_url)
        assert await asyncio.to_thread(asked.local_hosts) == [models.openai_base_url]


async def test_a_host_that_wants_a_key_is_not_offered(models: ModelServer) -> None:
    assert await asyncio.to_thread(probe(models.openai_base_url).local_hosts) == []


async def test_of_a_telegram_that_is_down_nobody_can_tell(telegram: TelegramServer) -> None:
    telegram.faults = lambda request: ServerError()
    settings = TelegramSettings(base_url=telegram.url)
    finding, name = await asyncio.to_thread(probe().bot, settings, telegram.token)
    assert (finding.outcome, name) == (Outcome.WARNING, "")
    assert telegram.token not in repr(finding)
