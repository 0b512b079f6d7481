from __future__ import annotations

import importlib.util

import pytest
from pydantic import SecretStr

from gaia.errors import SettingsError
from gaia.settings.providers import DEFAULT_NAMES, ModelProvider, ResolvedModel, resolve_provider
from gaia.settings.schema import ModelSettings, Provider, Secrets

GEMINI = SecretStr("gemini-key")
OPENAI = SecretStr("openai-key")
ANTHROPIC = SecretStr("anthropic-key")

with_anthropic = pytest.mark.skipif(
    importlib.util.find_spec("anthropic") is None, reason="the extra is not installed"
)


@pytest.mark.parametrize(
    ("model", "secrets", "provider"),
    [
        (ModelSettings(), Secrets(), "embedded"),
        (ModelSettings(), Secrets(gemini_api_key=GEMINI), "gemini"),
        (ModelSettings(), Secrets(openai_api_key=OPENAI), "openai"),
        (ModelSettings(), Secrets(gemini_api_key=GEMINI, openai_api_key=OPENAI), "gemini"),
        (ModelSettings(base_url="http://127.0.0.1:11434/v1"), Secrets(), "openai"),
        (ModelSettings(provider="embedded"), Secrets(gemini_api_key=GEMINI), "embedded"),
        (ModelSettings(), Secrets(gemini_api_key=SecretStr("  ")), "embedded"),
    ],
)
def test_the_first_that_is_there_answers(
    model: ModelSettings, secrets: Secrets, provider: ModelProvider
) -> None:
    resolved = resolve_provider(model, secrets)
    assert resolved.provider == provider
    assert resolved.name == DEFAULT_NAMES[provider]


@with_anthropic
def test_anthropic_answers_when_no_other_key_is_there() -> None:
    secrets = Secrets(anthropic_api_key=ANTHROPIC)
    assert resolve_provider(ModelSettings(), secrets).provider == "anthropic"
    secrets = Secrets(anthropic_api_key=ANTHROPIC, openai_api_key=OPENAI)
    assert resolve_provider(ModelSettings(), secrets).provider == "openai"


def test_name_address_and_trimmed_key_are_taken_over() -> None:
    settings = ModelSettings(provider="openai", name="llama3", base_url="http://127.0.0.1:1/v1")
    resolved = resolve_provider(settings, Secrets(openai_api_key=SecretStr(" key\n")))
    assert resolved == ResolvedModel(
        provider="openai",
        name="llama3",
        base_url="http://127.0.0.1:1/v1",
        api_key=SecretStr("key"),
    )


def test_a_host_of_ones_own_needs_no_key() -> None:
    settings = ModelSettings(provider="openai", base_url="http://127.0.0.1:1/v1")
    assert resolve_provider(settings, Secrets()).api_key is None


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("gemini", "GEMINI_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_named_provider_without_its_key_is_a_mistake(provider: Provider, variable: str) -> None:
    with pytest.raises(SettingsError, match=f"{provider}.*{variable} is not set.*auto"):
        resolve_provider(ModelSettings(provider=provider), Secrets())


@pytest.mark.parametrize("key", ["“quoted”", "two\nlines"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError, match="GEMINI_API_KEY") as caught:
        resolve_provider(ModelSettings(), Secrets(gemini_api_key=SecretStr(key)))
    assert key not in str(caught.value)
