"""What an adapter hands over: the model, how it fails, and how to close it; and which does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest

from gaia.agent.adaptations import BodyFilter
from gaia.agent.faults import FaultReader
from gaia.errors import ModelError
from gaia.settings.providers import ResolvedModel

CONNECT_SECONDS = 10.0
"""How long a host may take to accept a connection. The answer itself is
bounded by `model.timeout_seconds`, and by that alone."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A model that is ready to be asked. `close` releases its sockets or its process."""

    llm: BaseLlm
    reader: FaultReader
    close: Callable[[], Awaitable[None]]
    warm_up: Callable[[LlmRequest], Awaitable[None]] | None = None
    """Reads a request's prefix into the model's cache ahead of time."""
    body: BodyFilter = field(default_factory=BodyFilter)
    """A hook of its HTTP client, which is told what to leave out of requests."""
    names: Callable[[], Awaitable[Sequence[str]]] | None = None
    """Asks a remote host which models it serves to this key, which costs nothing."""


def connect_remote(resolved: ResolvedModel, api_version: str) -> Connection:
    """Open a client for a remote model; of the SDKs, which take a second to load, the one
    that it needs is imported."""
    match resolved.provider:
        case "gemini":
            from gaia.agent.remote import gemini

            return gemini.connect(resolved, api_version=api_version)
        case "openai" if resolved.base_url:
            from gaia.agent.remote import completions

            return completions.connect(resolved)
        case "openai":
            from gaia.agent.remote import openai

            return openai.connect(resolved)
        case "anthropic":
            from gaia.agent.remote import anthropic

            return anthropic.connect(resolved)
        case "embedded":
            raise ModelError("the embedded model runs here: 'gaia model list' says whether it does")
