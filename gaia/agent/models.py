"""The chat model, built from what `providers` decided: its adapter behind `ResilientLlm`.

An adapter and its SDK are imported only when their provider is the one in use.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest

from gaia.agent.adaptations import Feature
from gaia.agent.connection import Connection, connect_remote
from gaia.agent.enclosures import TEXT_ALONE, Intake, intake_of
from gaia.agent.health import ModelHealth
from gaia.agent.known_host import KnownHost, about
from gaia.agent.resilience import Patience, ResilientLlm
from gaia.logs import Redaction
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.providers import ModelProvider, ResolvedModel, require_embedded
from gaia.settings.schema import ModelSettings
from gaia.store.usage import Tariff

UNHURRIED = 5.0
"""Background work waits this many times longer for an answer: it is longer, and a model on
this machine gives way to chats meanwhile."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """The model that answers, ready for ADK. Its owner calls `close` once."""

    llm: BaseLlm
    provider: ModelProvider
    name: str
    base_url: str = ""
    is_small: bool = False
    """Whether it is told what it needs in few plain lines, and reads slowly."""
    intake: Intake = TEXT_ALONE
    health: ModelHealth = field(default_factory=ModelHealth)
    known: KnownHost = field(default_factory=KnownHost)
    """What its host is asked without, and how much it takes at once."""
    unhurried: BaseLlm | None = None
    """The same model with more patience, for work beside the chats."""
    warm_up: Callable[[LlmRequest], Awaitable[None]] | None = None
    """Reads a request's prefix into the model's cache ahead of time."""
    release: Callable[[], Awaitable[None]] | None = None

    @property
    def warms(self) -> bool:
        """Whether `warm` does anything: remote models have no use for it."""
        return self.warm_up is not None

    @property
    def tariff(self) -> Tariff:
        """Who knows what its tokens cost."""
        return Tariff.FREE if self.provider == "embedded" else Tariff.SETTINGS

    def accepts(self, media_type: str) -> bool:
        """Whether the model takes content of this type beside text."""
        return self.intake.accepts(media_type) and Feature.FILES not in self.known.left_out

    async def warm(self, request: LlmRequest) -> None:
        """Get ready for requests that begin like `request`."""
        if self.warm_up is not None:
            await self.warm_up(request)

    def describe(self) -> str:
        """The model in a few words, for status pages; without credentials."""
        host = urlsplit(self.base_url).netloc.rpartition("@")[2]
        return f"{self.name} ({self.provider}{f' at {host}' if host else ''})"

    async def close(self) -> None:
        """Close the provider's client, or stop the embedded model's process."""
        if self.release is not None:
            await self.release()


def build_model(
    resolved: ResolvedModel,
    settings: ModelSettings,
    home: Home,
    clock: Clock,
    *,
    chance: Callable[[], float] = random.random,
) -> ChatModel:
    """Build the model; nothing is sent or started before its first request.

    `chance` spreads the waits between tries, so that many daemons do not come
    back to a busy host at the same moment.

    Raises:
        ModelMissingError: The embedded model is not in the catalogue, or it or its engine is
            not installed.
    """
    known = KnownHost(clock, about(resolved, settings), home.known_host)
    if resolved.provider == "embedded":
        from gaia.agent.embedded.llm import connect
        from gaia.agent.remote.completions import READER

        require_embedded(resolved, home.models)
        llm = connect(resolved.name, settings.embedded, home, clock)
        connection = Connection(llm, READER, llm.close, warm_up=llm.warm)
    else:
        connection = connect_remote(resolved, settings.api_version)
    return resilient(connection, resolved, settings, clock, chance=chance, known=known)


def resilient(
    connection: Connection,
    resolved: ResolvedModel,
    settings: ModelSettings,
    clock: Clock,
    *,
    chance: Callable[[], float],
    known: KnownHost | None = None,
) -> ChatModel:
    """Put retries and the deadline of `settings` before an open connection, and what is
    `known` of its host."""
    health = ModelHealth()
    known = known or KnownHost(clock)
    known.attach(connection.body)
    # Hosts tell in their refusals what key they were given.
    redact = Redaction([resolved.api_key.get_secret_value()] if resolved.api_key else [])

    def patient(patience: float, *, waits: bool) -> ResilientLlm:
        return ResilientLlm(
            connection.llm,
            reader=connection.reader,
            patience=Patience(patience * settings.timeout_seconds, settings.retries),
            clock=clock,
            chance=chance,
            health=health,
            known=known,
            waits=waits,
            redact=redact,
        )

    return ChatModel(
        llm=patient(1.0, waits=True),
        unhurried=patient(UNHURRIED, waits=False),
        provider=resolved.provider,
        name=resolved.name,
        base_url=resolved.base_url,
        is_small=resolved.provider == "embedded",
        intake=intake_of(resolved, settings),
        health=health,
        known=known,
        warm_up=connection.warm_up,
        release=connection.close,
    )
