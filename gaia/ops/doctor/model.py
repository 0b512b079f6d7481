"""Whether a model is configured, and the embedded one installed. None is asked anything."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.agent.embedded.catalogue import find_model
from gaia.agent.embedded.weights import Weights
from gaia.agent.providers import resolve_loaded
from gaia.findings import Check, Finding, ok
from gaia.ops.doctor import configuration
from gaia.paths import Home
from gaia.settings.load import LoadedSettings

NAME = "model"


def model_check(home: Home, loaded: LoadedSettings) -> Check:
    """The check of the model that the settings choose."""

    async def look() -> Sequence[Finding]:
        resolved = resolve_loaded(loaded)
        if resolved.provider == "embedded":
            Weights(home.models).require(find_model(resolved.name))
        return [ok(f"{resolved.name} ({resolved.provider})")]

    return Check(NAME, look, needs=(configuration.NAME,))
