"""Whether the host of a remote model is there and takes the key, asked which models it serves.

No model is asked anything, and nothing is paid.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gaia.errors import ModelUnpaidError, ModelUnreachableError
from gaia.findings import Finding, failed, ok, warning
from gaia.ports import Clock
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.settings.urls import with_version

if TYPE_CHECKING:  # ADK takes a second to load, for nothing where nobody is asked.
    from gaia.agent.connection import Connection
    from gaia.agent.faults import Fault

SECONDS = 10.0
PROVIDERS: dict[ModelProvider, str] = {
    "gemini": "Gemini",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
}
NO_LIST = ("HTTP 404", "HTTP 405", "HTTP 501")


@dataclass(frozen=True, slots=True)
class Host:
    """What a host said. The finding is a failure if it refuses, and a warning if nobody can
    tell. `names` are those of its models, none where it does not say."""

    finding: Finding
    names: Sequence[str] = ()


async def look_at_host(
    resolved: ResolvedModel, api_version: str, clock: Clock, *, seconds: float = SECONDS
) -> Host:
    """Ask the host of a remote model, and wait so long for it; one that speaks OpenAI's
    protocol and has no models is asked once more, at `/v1`."""
    host = Host(_silent(_host(resolved), f"no answer within {seconds:g} s", resolved))
    from gaia.agent.connection import connect_remote

    connection = connect_remote(resolved, api_version)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            host = await _ask(connection, resolved, clock)
            versioned = with_version(resolved.base_url)
            if resolved.base_url != versioned and resolved.provider == "openai" and not host.names:
                elsewhere = replace(resolved, base_url=versioned)
                connection = connect_remote(elsewhere, api_version)
                if (await _ask(connection, elsewhere, clock)).names:
                    host = Host(_misplaced(resolved, versioned))
    return host


async def _ask(connection: Connection, resolved: ResolvedModel, clock: Clock) -> Host:
    """Ask through `connection`, and close it."""
    host = _host(resolved)
    if connection.names is None:
        raise ValueError(f"the model {resolved.name!r} has no host")
    try:
        names = await connection.names()
    except Exception as exc:
        return Host(_told(host, connection.reader.read(exc, clock.now()), resolved))
    finally:
        await connection.close()
    return Host(_found(host, names, resolved), names)


def _misplaced(resolved: ResolvedModel, url: str) -> Finding:
    told = f"{_host(resolved)} answers at {urlsplit(url).path}, and model.base_url has another path"
    return failed(told, f"Set model.base_url to {url}.")


def _found(host: str, names: Sequence[str], resolved: ResolvedModel) -> Finding:
    if resolved.name in names:
        return ok(f"{host} takes the key, and has {resolved.name}")
    if not names:
        return warning(f"{host} answers, but serves no model", "Load one there, then check again.")
    return warning(
        f"{host} is there, and {resolved.name} is not among its models",
        f"Set model.name to one that it has, such as {names[0]}.",
    )


def _told(host: str, fault: Fault, resolved: ResolvedModel) -> Finding:
    if fault.bare in NO_LIST:
        return warning(f"{host} does not say which models it has ({fault.bare})", _look(resolved))
    if fault.error is ModelUnreachableError:
        return warning(fault.cause, _look(resolved))
    if fault.passing:
        return _silent(host, fault.cause, resolved)
    # A host may repeat some of the key that it does not take.
    cause = fault.bare if fault.bare == "HTTP 401" else fault.cause
    remedy = fault.remedy or "look at the key, and at model.base_url if it is set"
    what = "request" if fault.error is ModelUnpaidError else "key"
    return failed(f"{host} refuses the {what}: {cause}", f"{remedy[:1].upper()}{remedy[1:]}.")


def _silent(host: str, cause: str, resolved: ResolvedModel) -> Finding:
    return warning(f"{host} cannot be asked: {cause}", _look(resolved))


def _look(resolved: ResolvedModel) -> str:
    if resolved.base_url:
        return "Check model.base_url, and whether that host runs; most addresses end with /v1."
    return "Check this machine's network."


def _host(resolved: ResolvedModel) -> str:
    place = urlsplit(resolved.base_url).netloc.rpartition("@")[2]
    return place or PROVIDERS[resolved.provider]
