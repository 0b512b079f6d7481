"""Whether a model is configured, and the embedded one installed. None is asked anything."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from gaia.agent.embedded.catalogue import find_model
from gaia.agent.embedded.weights import Weights
from gaia.agent.providers import resolve_loaded
from gaia.findings import Check, Finding, failed, ok
from gaia.ops.doctor import configuration
from gaia.paths import Home
from gaia.settings.load import LoadedSettings

NAME = "model"
ENGINE = "xllamacpp"


def model_check(home: Home, loaded: LoadedSettings) -> Check:
    """The check of the model that the settings choose."""

    async def look() -> Sequence[Finding]:
        resolved = resolve_loaded(loaded)
        if resolved.provider == "embedded":
            Weights(home.models).require(find_model(resolved.name))
            if find_spec(ENGINE) is None:
                remedy = "Install 'gaia-assistant[local]', or set a key or model.base_url."
                return [failed("the engine of the embedded model is not installed", remedy)]
        return [ok(f"{resolved.name} ({resolved.provider})")]

    return Check(NAME, look, needs=(configuration.NAME,))
