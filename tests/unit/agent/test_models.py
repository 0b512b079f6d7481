from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.adk.models.llm_request import LlmRequest
from pydantic import SecretStr

from gaia.agent.models import ChatModel, build_model
from gaia.agent.resilience import ResilientLlm
from gaia.errors import ModelMissingError
from gaia.paths import Home
from gaia.settings.providers import DEFAULT_NAMES, ResolvedModel
from gaia.settings.schema import ModelSettings
from gaia.testing.clock import FakeClock
from gaia.testing.function_model import FunctionModel

HEAVY = {"google", "openai", "anthropic", "sqlalchemy", "xllamacpp", "httpx"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("gaia.settings.providers", HEAVY),
        ("gaia.agent.models", {"openai", "anthropic", "xllamacpp", "google.adk.models.google_llm"}),
    ],
)
def test_a_providers_sdk_is_not_imported_before_it_is_used(module: str, unwanted: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert unwanted.isdisjoint(run.stdout.split())


def test_a_model_is_described_without_credentials() -> None:
    llm = FunctionModel(lambda request: "hello")
    model = ChatModel(llm, "openai", "llama3", base_url="http://me:secret@127.0.0.1:11434/v1")
    assert model.describe() == "llama3 (openai at 127.0.0.1:11434)"
    assert ChatModel(llm, "gemini", "gemini-x").describe() == "gemini-x (gemini)"


async def test_a_remote_model_has_no_use_for_warming(tmp_path: Path) -> None:
    resolved = ResolvedModel("openai", "m", "http://127.0.0.1:9/v1", SecretStr("key"))
    model = build_model(resolved, ModelSettings(), Home(tmp_path), FakeClock())
    assert isinstance(model.llm, ResilientLlm)
    assert model.llm.model == "m"
    assert not model.warms
    await model.warm(LlmRequest())
    await model.close()


@pytest.mark.parametrize(
    ("name", "message"),
    [(DEFAULT_NAMES["embedded"], "gaia model pull"), ("no-such-model", "no-such-model")],
)
def test_an_embedded_model_that_is_not_there_says_so(
    name: str, message: str, tmp_path: Path
) -> None:
    resolved = ResolvedModel("embedded", name)
    with pytest.raises(ModelMissingError, match=message):
        build_model(resolved, ModelSettings(), Home(tmp_path), FakeClock())


async def test_warming_reaches_the_model_that_can() -> None:
    warmed: list[LlmRequest] = []

    async def warm_up(request: LlmRequest) -> None:
        warmed.append(request)

    model = ChatModel(FunctionModel(lambda r: "hi"), "embedded", "m", warm_up=warm_up)
    request = LlmRequest()
    assert model.warms
    await model.warm(request)
    assert warmed == [request]
