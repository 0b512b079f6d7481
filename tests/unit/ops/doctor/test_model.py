"""The model and its host, as `gaia doctor` finds them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from google.adk.models.llm_request import LlmRequest

from gaia.agent.known_host import KnownHost, about
from gaia.extras import LOCAL
from gaia.findings import Outcome
from gaia.ops.doctor.checks import Examined, examine
from gaia.ops.doctor.model import model_checks
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.providers import resolve_loaded
from gaia.testing.clock import FakeClock
from tests.servers.model_server import running_model_server
from tests.servers.model_server.app import MODEL

KEY = "sk-canary-canary-canary"


async def found(
    home: Home, model: str, heard: list[tuple[str, str]], **environ: str
) -> list[Examined]:
    home.settings_file.write_text(f"model: {{{model}}}\n")
    checks = model_checks(
        home,
        load_settings(home, environ),
        FakeClock(),
        lambda host, date: heard.append((host, date)),
        seconds=5.0,
    )
    return [each async for each in examine(checks, lambda check: None)]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def test_a_host_that_takes_the_key_is_fine_and_tells_the_time(home: Home) -> None:
    heard: list[tuple[str, str]] = []
    async with running_model_server(api_key=KEY) as server:
        model = f"base_url: {server.openai_base_url}, name: {MODEL}"
        configured, told = await found(home, model, heard, OPENAI_API_KEY=KEY)
    assert configured.findings[0].detail == f"{MODEL} (openai)"
    assert told.findings[0].outcome is Outcome.OK
    assert [host for host, _ in heard] == ["127.0.0.1"]
    assert server.requests == ()


async def test_a_host_that_refuses_the_key_fails(home: Home) -> None:
    async with running_model_server(api_key=KEY) as server:
        model = f"base_url: {server.openai_base_url}, name: {MODEL}"
        _, host = await found(home, model, [], OPENAI_API_KEY="sk-another-canary-canary")
    assert host.findings[0].outcome is Outcome.FAILED
    assert "OPENAI_API_KEY" in host.findings[0].remedy


async def test_a_model_that_is_not_installed_fails_and_no_host_is_looked_at(home: Home) -> None:
    heard: list[tuple[str, str]] = []
    configured, host = await found(home, "provider: embedded", heard)
    assert "gaia model pull" in configured.findings[0].remedy
    assert (host.findings[0].outcome, heard) == (Outcome.SKIPPED, [])


async def test_where_nothing_is_set_up_it_says_just_that(home: Home) -> None:
    configured, _ = await found(home, "", [])
    assert configured.findings[0].detail == "no model is set up yet"
    assert configured.findings[0].remedy.startswith("'gaia setup' asks a few questions")


async def test_the_engine_is_looked_for_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, LOCAL.package, None)
    configured, _ = await found(home, "provider: embedded", [])
    assert "engine" in configured.findings[0].detail
    assert LOCAL.install_line in configured.findings[0].remedy


async def test_what_a_host_is_asked_without_is_told(home: Home) -> None:
    async with running_model_server() as server:
        model = f"base_url: {server.openai_base_url}, name: {MODEL}"
        home.settings_file.write_text(f"model: {{{model}}}\n")
        loaded = load_settings(home, {})
        known = KnownHost(
            FakeClock(), about(resolve_loaded(loaded), loaded.settings.model), home.known_host
        )
        async with known.asked(LlmRequest(), stream=False):
            known.leave_out("stream_options")
        _, told = await found(home, model, [])
    assert told.findings[1].outcome is Outcome.OK
    assert f"{MODEL} is asked without stream_options" in told.findings[1].detail
