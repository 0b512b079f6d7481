"""The effective settings as a list: each key, what holds, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from gaia.settings.keys import all_keys
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Block, Settings
from gaia.settings.secrets import VARIABLES


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One setting that holds; `line` is the one in gaia.yaml that sets it, None a default."""

    key: str
    value: JsonValue
    line: int | None

    @property
    def source(self) -> str:
        return "default" if self.line is None else f"gaia.yaml:{self.line}"


@dataclass(frozen=True, slots=True)
class SecretPresence:
    """Whether a variable that may hold a secret does; `source` is None when it does not."""

    variable: str
    source: str | None


def list_settings(loaded: LoadedSettings) -> tuple[EffectiveSetting, ...]:
    """Every setting, in the order of the schema."""
    return tuple(
        EffectiveSetting(str(key), _value_at(loaded.settings, key.path), loaded.lines.get(str(key)))
        for key in all_keys()
    )


def list_secrets(loaded: LoadedSettings) -> tuple[SecretPresence, ...]:
    """Every variable that may hold a secret. What it holds is not told."""
    variables = (name for names in VARIABLES.values() for name in names)
    return tuple(SecretPresence(name, loaded.secret_sources.get(name)) for name in variables)


def _value_at(settings: Settings, path: tuple[str, ...]) -> JsonValue:
    block: Block = settings
    for name in path[:-1]:
        block = getattr(block, name)
    value: JsonValue = getattr(block, path[-1])
    return value
