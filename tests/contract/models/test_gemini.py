"""What is Gemini's alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from gaia.agent.models import build_model
from gaia.paths import Home
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import ModelSettings
from gaia.testing.clock import FakeClock
from tests.servers.model_server import running_model_server

from .conftest import talking


@pytest.mark.parametrize(("setting", "version"), [("", "v1beta"), ("v1", "v1")])
async def test_the_api_version_is_the_sdks_unless_one_is_set(
    setting: str, version: str, tmp_path: Path
) -> None:
    async with running_model_server() as server:
        resolved = ResolvedModel("gemini", "m", server.gemini_base_url, SecretStr("key"))
        settings = ModelSettings(api_version=setting)
        model = build_model(resolved, settings, Home(tmp_path), FakeClock())
        async with talking(model) as talk:
            await talk.say("hello")
        assert [r.path for r in server.requests] == [f"/{version}/models/m:generateContent"]


async def test_the_environment_does_not_move_it_to_google_cloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_ENTERPRISE", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "a-project")
    async with running_model_server() as server:
        resolved = ResolvedModel("gemini", "m", server.gemini_base_url, SecretStr("key"))
        model = build_model(resolved, ModelSettings(), Home(tmp_path), FakeClock())
        async with talking(model) as talk:
            assert (await talk.say("hello")).text == "echo: hello"
