"""What an owner has answered, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue, SecretStr

from gaia.findings import Finding
from gaia.settings.document import KeyPath
from gaia.settings.load import LoadedSettings
from gaia.settings.providers import KEYS, ModelProvider
from gaia.settings.schema import Block, Settings


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model that is to answer. An empty `name` is the provider's default, an empty
    `base_url` its own host; without a `key` the one that there is stays."""

    provider: ModelProvider
    name: str = ""
    base_url: str = ""
    key: SecretStr | None = None
    heard: Finding | None = None
    """What its host said of itself; None if it was not asked."""


@dataclass(frozen=True, slots=True)
class TelegramAnswer:
    """Whether a bot is served; without a `token` the one that there is stays."""

    enabled: bool
    token: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class WhatsAppAnswer:
    """Whether a number is served; of what is empty here, what there is stays."""

    enabled: bool
    number: str = ""
    public_url: str = ""
    account_sid: SecretStr | None = None
    auth_token: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers. Where there is none, all stays as it is."""

    model: ModelAnswer | None = None
    telegram: TelegramAnswer | None = None
    whatsapp: WhatsAppAnswer | None = None
    kept: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of the environment that are to stand in `.env` as well."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be written: settings into gaia.yaml, variables into `.env`."""

    settings: Mapping[KeyPath, JsonValue] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


def plan(answers: Answers, loaded: LoadedSettings) -> Changes:
    """The changes that answers make. A setting that holds already is none of them."""
    wanted: dict[KeyPath, JsonValue] = {}
    variables = dict(answers.kept)
    if answers.model is not None:
        wanted |= _of_model(answers.model)
        _add(variables, KEYS.get(answers.model.provider, ""), answers.model.key)
    if answers.telegram is not None:
        wanted["channels", "telegram", "enabled"] = answers.telegram.enabled
        _add(variables, "GAIA_TELEGRAM_BOT_TOKEN", answers.telegram.token)
    if answers.whatsapp is not None:
        wanted |= _of_whatsapp(answers.whatsapp)
        _add(variables, "GAIA_TWILIO_ACCOUNT_SID", answers.whatsapp.account_sid)
        _add(variables, "GAIA_TWILIO_AUTH_TOKEN", answers.whatsapp.auth_token)
    settings = {
        path: value for path, value in wanted.items() if _value(loaded.settings, path) != value
    }
    return Changes(settings, variables)


def _of_model(answer: ModelAnswer) -> dict[KeyPath, JsonValue]:
    return {
        ("model", "provider"): answer.provider,
        ("model", "name"): answer.name,
        ("model", "base_url"): answer.base_url,
    }


def _of_whatsapp(answer: WhatsAppAnswer) -> dict[KeyPath, JsonValue]:
    wanted: dict[KeyPath, JsonValue] = {("channels", "whatsapp", "enabled"): answer.enabled}
    if answer.number:
        wanted["channels", "whatsapp", "number"] = answer.number
    if answer.public_url:
        wanted["channels", "whatsapp", "public_url"] = answer.public_url
    return wanted


def _add(variables: dict[str, str], name: str, secret: SecretStr | None) -> None:
    if secret is not None and name:
        variables[name] = secret.get_secret_value()


def _value(settings: Settings, path: KeyPath) -> JsonValue:
    block: Block = settings
    for name in path[:-1]:
        block = getattr(block, name)
    value: JsonValue = getattr(block, path[-1])
    return value
