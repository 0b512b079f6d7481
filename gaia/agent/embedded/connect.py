"""Builds the embedded model from the settings; its process starts with the first request."""

from __future__ import annotations

from gaia.agent.embedded.conversation import Bounds
from gaia.agent.embedded.llm import EmbeddedLlm
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import EmbeddedSettings
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights

LOG_NAME = "embedded.log"


def connect(name: str, settings: EmbeddedSettings, home: Home, clock: Clock) -> EmbeddedLlm:
    """The model called `name`, of which nothing runs yet.

    Raises:
        ModelMissingError: The catalogue has no such model, or it is not installed.
    """
    model, weights = find_model(name), Weights(home.models)
    weights.require(model)
    launch = Launch(
        model=model,
        weights=weights,
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        log=home.logs / LOG_NAME,
    )
    server = EmbeddedServer(launch, clock=clock, idle_seconds=settings.idle_minutes * 60)
    return EmbeddedLlm(name, server, Bounds(settings.context_tokens, settings.max_reply_tokens))
