"""Whether a model is configured, and there: the embedded one installed, a remote one at its
host. None is asked to answer anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from gaia.bounded_http import FAULTS, ask
from gaia.findings import Check, Finding, Heard, ok
from gaia.ops.doctor import settings
from gaia.ops.doctor.model_host import SECONDS, look_at_host
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.providers import (
    ModelProvider,
    ResolvedModel,
    require_embedded,
    resolve_loaded,
)

NAME = "model"
HOST = "model host"

OWN_HOSTS: Mapping[ModelProvider, str] = {
    "gemini": "https://generativelanguage.googleapis.com",
    "openai": "https://api.openai.com",
    "anthropic": "https://api.anthropic.com",
}


def model_checks(
    home: Home,
    loaded: LoadedSettings,
    clock: Clock,
    heard: Heard,
    *,
    seconds: float = SECONDS,
) -> Sequence[Check]:
    """The checks of the model that the settings choose, and of its host if it has one."""

    async def look() -> Sequence[Finding]:
        resolved = resolve_loaded(loaded)
        if resolved.provider == "embedded":
            require_embedded(resolved, home.models)
            return [ok(f"{resolved.name} (embedded) is intact and runs on this machine")]
        return [ok(f"{resolved.name} ({resolved.provider})")]

    async def ask_host() -> Sequence[Finding]:
        resolved = resolve_loaded(loaded)
        if resolved.provider == "embedded":
            return [ok("the model needs none")]
        api_version = loaded.settings.model.api_version
        host = await look_at_host(resolved, api_version, clock, seconds=seconds)
        await _hear_time(resolved, heard, seconds)
        return [host.finding, *_known(home, resolved, loaded, clock)]

    return [
        Check(NAME, look, needs=(settings.CONFIGURATION,)),
        Check(HOST, ask_host, needs=(NAME,)),
    ]


def _known(
    home: Home, resolved: ResolvedModel, loaded: LoadedSettings, clock: Clock
) -> Sequence[Finding]:
    """What the host refused a while ago, and is asked without since."""
    from gaia.agent.known_host import KnownHost, about

    known = KnownHost(clock, about(resolved, loaded.settings.model), home.known_host)
    asked = known.describe()
    return [ok(f"{resolved.name} is asked {asked}: its host takes no more")] if asked else []


async def _hear_time(resolved: ResolvedModel, heard: Heard, seconds: float) -> None:
    """What time the host says it is: providers' SDKs keep the heads of answers to themselves."""
    url = resolved.base_url or OWN_HOSTS[resolved.provider]
    try:
        answer = await ask("HEAD", url, headers={}, seconds=seconds)
    except FAULTS:
        return
    heard(urlsplit(url).hostname or "", answer.headers.get("date", ""))
