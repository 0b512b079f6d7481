"""The settings: every block of gaia.yaml with its defaults, and the secrets.

What a key means is told in `config/gaia.yaml` and `docs/configuration.md`;
how the file is read and how mistakes are reported is in `load`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, model_validator

from gaia.settings.values import (
    BaseUrl,
    ComponentName,
    ContentSid,
    DatabaseUrl,
    Host,
    Minutes,
    ModelUrl,
    PhoneNumber,
    PublicUrl,
    RootUrl,
    TemplateVariable,
)

Provider = Literal["auto", "gemini", "openai", "anthropic", "embedded"]

LARGEST_BYTES = 128_000
"""A larger file holds no settings: gaia's own, with all comments, has a tenth of that. YAML of
this size is read within two seconds."""


class Block(BaseModel):
    """A block of settings: frozen, and unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class EmbeddedSettings(Block):
    """The model that runs on this machine."""

    context_tokens: Annotated[int, Field(ge=2048, le=131072)] = 8192
    threads: Annotated[int, Field(ge=0, le=256)] = 0
    idle_minutes: Minutes = 15.0
    max_reply_tokens: Annotated[int, Field(ge=64, le=8192)] = 768
    tools: bool = False

    @model_validator(mode="after")
    def _leave_room_for_the_question(self) -> Self:
        if self.max_reply_tokens > self.context_tokens // 2:
            raise ValueError("max_reply_tokens is more than half of context_tokens")
        return self


class ModelSettings(Block):
    """Which model answers, and how long gaia waits for it."""

    provider: Provider = "auto"
    name: str = ""
    base_url: ModelUrl = ""
    api_version: str = ""
    instructions: str = ""
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    embedded: EmbeddedSettings = EmbeddedSettings()


class ComponentSettings(Block):
    """One of mem0's three components: a provider's name and its own options."""

    provider: ComponentName
    config: dict[str, JsonValue] = Field(default_factory=dict)


class UpkeepSettings(Block):
    """What is done with memories each night, and the confidence that it goes by."""

    enabled: bool = True
    use_gain: Annotated[float, Field(ge=0, le=1)] = 0.02
    decay_days: Annotated[float, Field(ge=1, le=36_500)] = 30.0
    archive_below: Annotated[float, Field(ge=0, le=1)] = 0.1
    near_above: Annotated[float, Field(ge=0, le=1)] = 0.85
    most_pairs: Annotated[int, Field(ge=0, le=100)] = 20
    episodes: Annotated[int, Field(ge=2, le=1000)] = 5
    most_candidates: Annotated[int, Field(ge=0, le=100)] = 10
    most_rules: Annotated[int, Field(ge=1, le=100)] = 20


class MemorySettings(Block):
    """Long-term memory."""

    enabled: bool = True
    auto_ingest: bool = True
    auto_recall: bool = True
    recall_limit: Annotated[int, Field(ge=1, le=50)] = 5
    fusion: Literal["sum", "rank"] = "sum"
    rerank: bool = False
    preload: bool = True
    preload_limit: Annotated[int, Field(ge=1, le=200)] = 20
    extractor: Literal["gaia", "mem0"] = "gaia"
    extraction_instructions: str = ""
    calls_per_day: Annotated[int, Field(ge=0, le=100_000)] = 200
    archive_days: Annotated[int, Field(ge=1, le=36_500)] = 90
    reminder_hour: Annotated[int, Field(ge=0, le=23)] = 9
    reminder_days: Annotated[int, Field(ge=0, le=365)] = 7
    upkeep: UpkeepSettings = UpkeepSettings()
    llm: ComponentSettings = ComponentSettings(provider="auto")
    embedder: ComponentSettings = ComponentSettings(provider="embedded")
    vector_store: ComponentSettings = ComponentSettings(provider="auto")

    @model_validator(mode="after")
    def _name_whose_options_they_are(self) -> Self:
        if self.vector_store.provider == "auto" and self.vector_store.config:
            raise ValueError("vector_store.config has options, and provider is auto: name one")
        return self


class SessionsSettings(Block):
    """The running conversation: replay, quiet time, bursts."""

    window_turns: Annotated[int, Field(ge=1, le=1000)] = 30
    idle_consolidate_minutes: Minutes = 30.0
    settle_seconds: Annotated[float, Field(ge=0, le=60)] = 0.4
    compact_messages: Annotated[int, Field(ge=0, le=2000)] = 50
    compact_keep: Annotated[int, Field(ge=2, le=1000)] = 20


class TerminalSettings(Block):
    """The terminal channel (`gaia chat`)."""

    enabled: bool = True


class TelegramSettings(Block):
    """The Telegram channel. Its token is a secret: GAIA_TELEGRAM_BOT_TOKEN."""

    enabled: bool = False
    mode: Literal["polling", "webhook"] = "polling"
    webhook_url: PublicUrl = ""
    base_url: BaseUrl = ""

    @model_validator(mode="after")
    def _say_where_the_webhook_is(self) -> Self:
        if self.mode == "webhook" and not self.webhook_url:
            raise ValueError("webhook_url is empty, and mode is webhook")
        return self


class WhatsAppSettings(Block):
    """The WhatsApp channel, through Twilio. Its secrets are GAIA_TWILIO_ACCOUNT_SID and
    GAIA_TWILIO_AUTH_TOKEN."""

    enabled: bool = False
    number: PhoneNumber = ""
    public_url: PublicUrl = ""
    template: ContentSid = ""
    template_variable: TemplateVariable = ""
    base_url: BaseUrl = ""

    @model_validator(mode="after")
    def _say_who_writes_and_where_twilio_calls(self) -> Self:
        if self.enabled and not self.number:
            raise ValueError("number is empty, and enabled is true")
        if self.enabled and not self.public_url:
            raise ValueError("public_url is empty, and enabled is true")
        if self.template_variable and not self.template:
            raise ValueError("template is empty, and template_variable is set")
        return self


class ChannelsSettings(Block):
    """The channels, one block each."""

    terminal: TerminalSettings = TerminalSettings()
    telegram: TelegramSettings = TelegramSettings()
    whatsapp: WhatsAppSettings = WhatsAppSettings()

    @property
    def remote(self) -> tuple[str, ...]:
        """Those that are on and lead here from elsewhere."""
        on = {"telegram": self.telegram.enabled, "whatsapp": self.whatsapp.enabled}
        return tuple(name for name, is_on in on.items() if is_on)


class AccessSettings(Block):
    """Who may talk to gaia."""

    terminal_creates_users: bool = True


class DeliverySettings(Block):
    """How long gaia tries to deliver a reply that a channel refuses."""

    give_up_after_hours: Annotated[float, Field(gt=0, le=720)] = 72.0
    attempts: Annotated[int, Field(ge=1, le=100_000)] = 1000


class WebSettings(Block):
    """The web server: health, webhooks with the channels that need them, and the memory page."""

    enabled: bool = True
    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8642
    page: bool = True
    public_url: RootUrl = ""


class LoggingSettings(Block):
    """What is logged."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    format: Literal["text", "json"] = "text"
    file_megabytes: Annotated[int, Field(ge=1, le=1000)] = 5
    files_kept: Annotated[int, Field(ge=1, le=100)] = 5


class MetricsSettings(Block):
    """Metrics for Prometheus, on a port of their own."""

    enabled: bool = False
    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8643


class TracingSettings(Block):
    """Traces for OpenTelemetry; where they go is said by its own OTEL_ variables."""

    enabled: bool = False


class BackupSettings(Block):
    """The backups that gaia makes by itself."""

    enabled: bool = True
    folder: str = ""
    hour: Annotated[int, Field(ge=0, le=23)] = 3
    keep_days: Annotated[int, Field(ge=1, le=365)] = 7
    keep_weeks: Annotated[int, Field(ge=0, le=520)] = 4


class CostsSettings(Block):
    """What the model that answers costs, for estimates."""

    currency: Annotated[str, Field(min_length=1, max_length=8, description="1 to 8 characters")] = (
        "USD"
    )
    input_price: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    output_price: Annotated[float, Field(ge=0, le=10_000)] = 0.0


class DatabaseSettings(Block):
    """Where what gaia keeps stands: empty for gaia.db in the home."""

    url: DatabaseUrl = ""


class RetentionSettings(Block):
    """How long what has been done with is kept."""

    messages_days: Annotated[int, Field(ge=7, le=36_500)] = 30


class LimitsSettings(Block):
    """Bounds that keep one person, or one mistake, from costing too much."""

    concurrent_turns: Annotated[int, Field(ge=1, le=256)] = 8
    model_calls_per_turn: Annotated[int, Field(ge=1, le=100)] = 10
    tool_calls_per_turn: Annotated[int, Field(ge=0, le=1000)] = 20
    user_tokens_per_day: Annotated[int, Field(ge=0, le=1_000_000_000)] = 2_000_000
    tokens_per_day: Annotated[int, Field(ge=0, le=10_000_000_000)] = 5_000_000
    message_characters: Annotated[int, Field(ge=100, le=1_000_000)] = 20_000
    messages_per_minute: Annotated[int, Field(ge=1, le=10_000)] = 30
    answer_messages: Annotated[int, Field(ge=2, le=100)] = 10
    attachment_megabytes: Annotated[float, Field(ge=0, le=2000)] = 20.0
    drain_seconds: Annotated[float, Field(ge=0, le=600)] = 20.0


class Settings(Block):
    """All of gaia.yaml."""

    model: ModelSettings = ModelSettings()
    memory: MemorySettings = MemorySettings()
    sessions: SessionsSettings = SessionsSettings()
    channels: ChannelsSettings = ChannelsSettings()
    access: AccessSettings = AccessSettings()
    delivery: DeliverySettings = DeliverySettings()
    web: WebSettings = WebSettings()
    logging: LoggingSettings = LoggingSettings()
    metrics: MetricsSettings = MetricsSettings()
    tracing: TracingSettings = TracingSettings()
    database: DatabaseSettings = DatabaseSettings()
    backup: BackupSettings = BackupSettings()
    costs: CostsSettings = CostsSettings()
    retention: RetentionSettings = RetentionSettings()
    limits: LimitsSettings = LimitsSettings()

    @model_validator(mode="after")
    def _listen_for_providers(self) -> Self:
        if not self.web.enabled and self.channels.whatsapp.enabled:
            raise ValueError("web.enabled is false, and channels.whatsapp.enabled is true")
        return self


class Secrets(Block):
    """Keys and tokens, from the environment or `.env` in the home, never from gaia.yaml."""

    gemini_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    anthropic_api_key: SecretStr | None = None
    telegram_bot_token: SecretStr | None = None
    twilio_account_sid: SecretStr | None = None
    twilio_auth_token: SecretStr | None = None
    backup_passphrase: SecretStr | None = None
    database_url: SecretStr | None = None

    def values(self) -> Sequence[str]:
        """All that are set, for a log to leave out."""
        return [secret.get_secret_value() for _, secret in self if secret is not None]
