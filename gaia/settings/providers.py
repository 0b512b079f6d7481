"""Which model answers: the provider, the model's name, where it is and its key.

A decision from settings and secrets alone. Nothing heavy is imported here, so
that `gaia status` and `gaia model` may ask; `gaia.agent.models` builds what is decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from gaia.errors import ModelMissingError, SettingsError
from gaia.extras import ANTHROPIC, LOCAL
from gaia.mistakes import Mistake
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import ModelSettings, Secrets
from gaia.weights.catalogue import CATALOGUE, find_model
from gaia.weights.folder import Weights

ModelProvider = Literal["gemini", "openai", "anthropic", "embedded"]

DEFAULT_NAMES: dict[ModelProvider, str] = {
    "gemini": "gemini-3.5-flash-lite",
    "openai": "gpt-5.6-terra",
    "anthropic": "claude-haiku-5-5",
    "embedded": "qwen2.5-coder-1.5b-instruct-q4_k_m",
}
"""The providers' fast models, all in service when this was written (November 2026)."""

KEYS: dict[ModelProvider, str] = {
    "gemini": "GEMINI_API_KEY",
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""The environment variable that holds each remote provider's key."""


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """The model that answers. `base_url` is empty for the provider's own host;
    `api_key` is None for a model that needs none."""

    provider: ModelProvider
    name: str
    base_url: str = ""
    api_key: SecretStr | None = None
    is_chosen: bool = True
    """Whether anything names it. The embedded one answers also where nothing is set up."""


def resolve_loaded(loaded: LoadedSettings) -> ResolvedModel:
    """Decide which model answers, by all that was loaded.

    Raises:
        SettingsError: As for `resolve_provider`, with the place of the mistake.
    """
    try:
        return resolve_provider(loaded.settings.model, loaded.secrets)
    except SettingsError as exc:
        raise SettingsError.of([loaded.placed(each) for each in exc.mistakes]) from exc


def resolve_provider(model: ModelSettings, secrets: Secrets) -> ResolvedModel:
    """Decide which model answers.

    `auto` takes the first that is there: a Gemini key, an OpenAI key or a
    `model.base_url`, an Anthropic key with its extra installed, and the
    embedded model otherwise.

    Raises:
        SettingsError: The provider is named but its key or its extra is
            missing, a key cannot be sent, or no embedded model has the name.
    """
    provider = _choose(model, secrets) if model.provider == "auto" else model.provider
    key = _key(provider, secrets)
    is_own_host = provider == "openai" and model.base_url
    if key is None and provider in KEYS and not is_own_host:
        or_own = ", set model.base_url to a host that needs none" if provider == "openai" else ""
        raise _mistake(
            "model.provider",
            f"is {provider!r} but {KEYS[provider]} is not set",
            f"Put it in the environment or in .env in gaia's home{or_own}, "
            "or set model.provider to 'auto'",
        )
    if provider == "anthropic" and not ANTHROPIC.is_installed:
        raise _mistake(
            "model.provider",
            "is 'anthropic' but its extra is not installed",
            f"Run `{ANTHROPIC.install_line}`, or set model.provider to another",
        )
    if provider == "embedded" and model.name not in {"", *(known.name for known in CATALOGUE)}:
        names = ", ".join(known.name for known in CATALOGUE if known.offered)
        raise _mistake(
            "model.name",
            f"is {model.name!r} and the embedded model is to answer, but none is called that",
            f"Use one of {names}, leave it empty, or set up another provider",
        )
    return ResolvedModel(
        provider=provider,
        name=model.name or DEFAULT_NAMES[provider],
        base_url="" if provider == "embedded" else model.base_url,
        api_key=key,
        is_chosen=bool(provider != "embedded" or model.name or model.provider != "auto"),
    )


def require_embedded(resolved: ResolvedModel, models: Path) -> None:
    """Return if the embedded model can be started: its engine is here, and its file in the
    folder `models`.

    Raises:
        ModelMissingError: One of them is not, or the catalogue has no model of that name.
    """
    model, weights = find_model(resolved.name), Weights(models)
    if LOCAL.is_installed and weights.is_installed(model):
        return
    if not resolved.is_chosen:
        or_pull = f", or 'gaia model pull' fetches {model.name}" if LOCAL.is_installed else ""
        raise ModelMissingError(
            f"no model is set up yet: 'gaia setup' asks a few questions and sets one up{or_pull}"
        )
    require_engine()
    weights.require(model)


def require_engine() -> None:
    """Return if what runs embedded models is installed.

    Raises:
        ModelMissingError: It is not.
    """
    if not LOCAL.is_installed:
        raise ModelMissingError(
            f"the engine of the embedded model is not installed: run `{LOCAL.install_line}`, "
            "or choose another model with 'gaia setup'"
        )


def held_key(secrets: Secrets, provider: ModelProvider) -> SecretStr | None:
    """The key of a provider as it is set; None of the embedded model, which needs none."""
    held: SecretStr | None = getattr(secrets, KEYS.get(provider, "").lower(), None)
    return held


def _choose(model: ModelSettings, secrets: Secrets) -> ModelProvider:
    if _key("gemini", secrets):
        return "gemini"
    if _key("openai", secrets) or model.base_url:
        return "openai"
    if _key("anthropic", secrets) and ANTHROPIC.is_installed:
        return "anthropic"
    return "embedded"


def _key(provider: ModelProvider, secrets: Secrets) -> SecretStr | None:
    """The provider's key, trimmed; blank is as good as unset.

    What cannot stand in an HTTP header is refused here, since the clients
    would show it whole in their own error.
    """
    held = held_key(secrets, provider)
    key = held.get_secret_value().strip() if held else ""
    if not key:
        return None
    if not (key.isascii() and key.isprintable()):
        raise _mistake(
            KEYS[provider],
            "holds a character that no key has",
            "Copy the key again, without quotes or line breaks",
        )
    return SecretStr(key)


def _mistake(key: str, problem: str, remedy: str) -> SettingsError:
    return SettingsError.of([Mistake("gaia.yaml", None, None, key, problem, remedy)])
