"""What differs between two sets of settings, and what a change of each takes while gaia runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, SecretStr

from gaia.settings.keys import all_keys
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Block, Secrets, Settings
from gaia.settings.secrets import VARIABLES

EFFECTS: Mapping[str, str] = {
    "model": "the next turn; conversations keep their history",
    "memory": "the next turn",
    "memory.archive_days": "the next upkeep, each night",
    "memory.auto_ingest": "the next conversation that goes quiet",
    "memory.calls_per_day": "the next conversation that is read",
    "memory.embedder": "the index opens again; searches go by words until memories are indexed",
    "memory.enabled": "the next turn; the index opens or closes",
    "memory.extraction_instructions": "the next conversation that is read",
    "memory.extractor": "the next conversation that is read",
    "memory.llm": "the next conversation that is read",
    "memory.reminder_hour": "the next reminder that is made",
    "memory.rerank": "the next search",
    "memory.preload_limit": "the next turn; profiles are rebuilt",
    "memory.upkeep": "the next upkeep of memories, each night; the next search",
    "memory.vector_store": "the index opens again; searches go by words until memories are indexed",
    "sessions": "the next turn",
    "sessions.compact_keep": "the next conversation that is compacted",
    "sessions.compact_messages": "at once",
    "sessions.idle_consolidate_minutes": "at once",
    "channels.terminal": "the terminal opens or closes",
    "channels.telegram": "Telegram starts again, and no other channel",
    "channels.whatsapp": "WhatsApp starts again, and no other channel",
    "access": "at once",
    "delivery": "the next attempt",
    "web": "the web server starts again",
    "web.page": "at once",
    "web.public_url": "at once",
    "logging": "at once",
    "metrics": "the port for metrics opens again",
    "tracing": "the next start of gaia",
    "database": "the next start of gaia",
    "backup": "the next backup",
    "costs": "the next turn",
    "retention": "the next upkeep, each night",
    "limits": "the next turn",
    "limits.drain_seconds": "when gaia stops",
    "limits.messages_per_minute": "the next message",
}
"""When a change of a key, or of all keys below it, counts."""


OF_THE_MACHINE = (
    "model.embedded.threads",
    "web.enabled",
    "web.host",
    "web.port",
    "logging",
    "metrics",
    "tracing",
    "database",
    "backup.folder",
)
"""Keys, or blocks of them, that each of several processes on one database has for itself."""


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that is another one. Of a secret, named by its variable, no value is told."""

    key: str
    before: JsonValue
    after: JsonValue
    effect: str

    @property
    def is_secret(self) -> bool:
        return not self.effect


def differences(before: LoadedSettings, after: LoadedSettings) -> Sequence[Change]:
    """What is another one, in the order of the schema, secrets last."""
    settings = zip(list_settings(before), list_settings(after), strict=True)
    changed = [
        Change(old.key, old.value, new.value, effect_of(old.key))
        for old, new in settings
        if old.value != new.value
    ]
    for name, variables in VARIABLES.items():
        old_secret, new_secret = (_secret(each.secrets, name) for each in (before, after))
        if old_secret != new_secret:
            words = (_presence(old_secret), _presence(new_secret, before=old_secret))
            changed.append(Change(variables[0], *words, effect=""))
    return changed


def effect_of(key: str) -> str:
    """When a change of a key counts.

    Raises:
        KeyError: That is not told of any of the blocks it stands in.
    """
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        effect = EFFECTS.get(".".join(parts[:length]))
        if effect is not None:
            return effect
    raise KeyError(key)


def is_shared(key: str) -> bool:
    """Whether a change of a key is one for all processes on the same database."""
    return not any(f"{key}.".startswith(f"{own}.") for own in OF_THE_MACHINE)


def _secret(secrets: Secrets, name: str) -> SecretStr | None:
    held: SecretStr | None = getattr(secrets, name)
    return held


def _presence(secret: SecretStr | None, *, before: SecretStr | None = None) -> str:
    if secret is None:
        return "not set"
    return "set" if before is None else "set to another value"


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
