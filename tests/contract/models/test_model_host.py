"""Whether a host is there and takes the key, asked by each provider's own client."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from gaia.findings import Outcome
from gaia.ops.doctor.model_host import Host, look_at_host
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.testing.clock import FakeClock
from tests.servers.model_server import ModelServer, running_model_server
from tests.servers.model_server.app import MODEL

KEY = "canary-key-4711"
PROVIDERS = [
    "gemini",
    "openai",
    pytest.param(
        "anthropic",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("anthropic") is None, reason="needs the extra 'anthropic'"
        ),
    ),
]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with running_model_server(api_key=KEY) as server:
        yield server


async def look(
    provider: ModelProvider, url: str, *, key: str = KEY, name: str = MODEL, seconds: float = 30.0
) -> Host:
    resolved = ResolvedModel(provider, name, url, SecretStr(key))
    return await look_at_host(resolved, "", FakeClock(), seconds=seconds)


def url_of(server: ModelServer, provider: ModelProvider) -> str:
    return server.openai_base_url if provider == "openai" else server.url


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_host_that_takes_the_key_says_which_models_it_has(
    server: ModelServer, provider: ModelProvider
) -> None:
    host = await look(provider, url_of(server, provider))
    assert host.names == [MODEL]
    assert host.finding.outcome is Outcome.OK
    assert server.requests == ()


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_key_that_is_refused_is_told_and_not_repeated(
    server: ModelServer, provider: ModelProvider
) -> None:
    host = await look(provider, url_of(server, provider), key="canary-wrong")
    assert host.finding.outcome is Outcome.FAILED
    assert "HTTP 401" in host.finding.detail
    assert "_API_KEY" in host.finding.remedy
    assert "canary" not in repr(host)


async def test_a_model_that_the_host_does_not_have_is_told(server: ModelServer) -> None:
    host = await look("openai", server.openai_base_url, name="other")
    assert host.finding.outcome is Outcome.WARNING
    assert "other is not among its models" in host.finding.detail
    assert MODEL in host.finding.remedy


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_of_a_host_that_is_not_there_nobody_can_tell(
    provider: ModelProvider, unused_tcp_port: int
) -> None:
    host = await look(provider, f"http://127.0.0.1:{unused_tcp_port}")
    assert host.finding.outcome is Outcome.WARNING
    assert f"nothing answers at 127.0.0.1:{unused_tcp_port}" == host.finding.detail


async def test_an_address_without_a_list_of_models_is_told(server: ModelServer) -> None:
    host = await look("openai", f"{server.url}/nothing-here")
    assert host.finding.outcome is Outcome.WARNING
    assert "does not say which models" in host.finding.detail


@pytest.mark.parametrize("ending", ["", "/"])
async def test_an_address_that_lacks_its_version_is_told_with_the_right_one(
    server: ModelServer, ending: str
) -> None:
    host = await look("openai", server.url + ending)
    assert host.finding.outcome is Outcome.FAILED
    assert host.finding.remedy == f"Set model.base_url to {server.openai_base_url}."


async def test_a_host_that_takes_its_time_is_not_waited_for() -> None:
    left = asyncio.Event()

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    silent = await asyncio.start_server(swallow, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    async with silent:
        host = await look("openai", f"http://127.0.0.1:{port}", seconds=0.05)
        await left.wait()
    assert "no answer within 0.05 s" in host.finding.detail
