"""The settings: every block of gaia.yaml with its defaults, and the secrets.

What a key means is told in `config/gaia.yaml` and `docs/configuration.md`;
how the file is read and how mistakes are reported is in `load`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr

Positive = Annotated[int, Field(ge=1)]
Provider = Literal["auto", "gemini", "openai", "anthropic", "embedded"]


class Block(BaseModel):
    """A block of settings: frozen, and unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EmbeddedSettings(Block):
    """The model that runs on this machine."""

    context_tokens: Annotated[int, Field(ge=2048, le=131072)] = 8192
    threads: Annotated[int, Field(ge=0, le=256)] = 0
    idle_minutes: Annotated[float, Field(gt=0)] = 15.0
    max_reply_tokens: Annotated[int, Field(ge=64, le=8192)] = 768


class ModelSettings(Block):
    """Which model answers, and how long gaia waits for it."""

    provider: Provider = "auto"
    name: str = ""
    base_url: str = ""
    api_version: str = ""
    instructions: str = ""
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    embedded: EmbeddedSettings = EmbeddedSettings()


class ComponentSettings(Block):
    """One of mem0's three components: a provider's name and its own options."""

    provider: str
    config: dict[str, JsonValue] = Field(default_factory=dict)


class MemorySettings(Block):
    """Long-term memory."""

    enabled: bool = True
    auto_ingest: bool = True
    recall_limit: Annotated[int, Field(ge=1, le=50)] = 5
    preload: bool = True
    preload_limit: Annotated[int, Field(ge=1, le=200)] = 20
    extraction_instructions: str = ""
    llm: ComponentSettings = ComponentSettings(provider="auto")
    embedder: ComponentSettings = ComponentSettings(provider="embedded")
    vector_store: ComponentSettings = ComponentSettings(provider="chroma")


class SessionsSettings(Block):
    """The running conversation: replay, quiet time, bursts."""

    window_turns: Annotated[int, Field(ge=1, le=1000)] = 30
    idle_consolidate_minutes: Annotated[float, Field(gt=0)] = 30.0
    settle_seconds: Annotated[float, Field(ge=0, le=60)] = 0.4


class TerminalSettings(Block):
    """The terminal channel (`gaia chat`)."""

    enabled: bool = True


class ChannelsSettings(Block):
    """The channels, one block each."""

    terminal: TerminalSettings = TerminalSettings()


class AccessSettings(Block):
    """Who may talk to gaia."""

    terminal_creates_users: bool = True


class WebSettings(Block):
    """The web server: health now, webhooks with the channels that need them."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8642


class LoggingSettings(Block):
    """What is logged."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    file_megabytes: Positive = 5
    files_kept: Positive = 5


class LimitsSettings(Block):
    """Bounds that keep one person, or one mistake, from costing too much."""

    concurrent_turns: Annotated[int, Field(ge=1, le=256)] = 8
    model_calls_per_turn: Annotated[int, Field(ge=1, le=100)] = 10
    message_characters: Annotated[int, Field(ge=100)] = 20_000
    drain_seconds: Annotated[float, Field(ge=0, le=600)] = 20.0


class Settings(Block):
    """All of gaia.yaml."""

    model: ModelSettings = ModelSettings()
    memory: MemorySettings = MemorySettings()
    sessions: SessionsSettings = SessionsSettings()
    channels: ChannelsSettings = ChannelsSettings()
    access: AccessSettings = AccessSettings()
    web: WebSettings = WebSettings()
    logging: LoggingSettings = LoggingSettings()
    limits: LimitsSettings = LimitsSettings()


class Secrets(Block):
    """Keys and tokens, from the environment or `.env` in the home, never from gaia.yaml."""

    gemini_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    anthropic_api_key: SecretStr | None = None
