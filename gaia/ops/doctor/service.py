"""Whether gaia's service, where there is one, starts this gaia, at each boot, and lets it end."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from gaia.errors import ServiceError
from gaia.findings import Check, Finding, failed, ok, skipped, warning
from gaia.ops.service.installer import Service, ServiceState, service_of
from gaia.ops.service.unit import (
    Scope,
    command_here,
    home_in,
    is_as_written,
    system_unit,
    user_unit,
    value_of,
    words_of,
)
from gaia.paths import Home
from gaia.settings.schema import Settings

NAME = "service"


def services_here(environ: Mapping[str, str]) -> Sequence[Service]:
    """gaia under this user's service manager, and under the machine's."""
    return [service_of(scope, environ) for scope in (Scope.USER, Scope.SYSTEM)]


def may_rest(settings: Settings, services: Sequence[Service]) -> bool:
    """Whether nobody expects gaia to run by itself: it has no channel but the terminal, and no
    service starts it."""
    try:
        is_service = any(each.written() is not None for each in services)
    except ServiceError:
        is_service = True
    return not (settings.channels.remote or is_service)


def service_check(home: Home, settings: Settings | None, services: Sequence[Service]) -> Check:
    """The check of the service. Without `settings`, which cannot be read, what depends on
    them is left out."""

    return Check(NAME, partial(asyncio.to_thread, _look, home, settings, services))


def _look(home: Home, settings: Settings | None, services: Sequence[Service]) -> Sequence[Finding]:
    if sys.platform != "linux":
        return [skipped("services are systemd's, which this system does not have")]
    installed = [(each, text) for each in services if (text := each.written()) is not None]
    if not installed:
        return [ok("gaia is not installed as a service: it runs as long as its terminal does")]
    found: list[Finding] = []
    if len(installed) > 1:
        detail = "gaia is a service of your user, and one of the machine"
        found.append(warning(detail, "Remove one of them: 'gaia service uninstall --user'."))
    for service, text in installed:
        state = service.state()
        found += [
            *_of_command(service, text),
            *_of_settings(service, text, home, settings),
            *_of_manager(service, state),
        ]
    paths = ", ".join(str(service.path) for service, _ in installed)
    return found or [ok(f"{paths} starts this gaia with the machine")]


def _of_command(service: Service, text: str) -> Iterator[Finding]:
    """What the unit starts."""
    program = words_of(value_of(text, "ExecStart"))[0]
    if not os.access(program, os.X_OK):
        yield failed(f"{service.path} starts {program}, which is not there", _again(service))
    elif program != command_here()[0]:
        detail = f"{service.path} starts {program}, and this is {command_here()[0]}"
        yield warning(detail, f"Unless that is what you want: {_again(service)}")


def _of_settings(
    service: Service, text: str, home: Home, settings: Settings | None
) -> Iterator[Finding]:
    """Whether the unit fits the home, the drain, and what this version would write."""
    place = home_in(text, service.scope)
    if place != home.root:
        remedy = "Look at that one with GAIA_HOME set to it, or install the service again."
        yield warning(f"{service.path} runs gaia in {place}, and this is {home.root}", remedy)
        return
    if settings is None:
        return
    patience, drain = value_of(text, "TimeoutStopSec"), settings.limits.drain_seconds
    if patience.isdecimal() and int(patience) <= drain:
        detail = f"limits.drain_seconds is {drain:g}, and {service.path} leaves gaia {patience} s"
        yield warning(detail, _again(service))
    elif is_as_written(text) and text != _expected(service, text, home, settings):
        detail = f"{service.path} is not what this version of gaia would write"
        mend = partial(_renew, service, home, settings) if service.scope is Scope.USER else None
        yield warning(detail, _again(service), mend)


def _of_manager(service: Service, state: ServiceState) -> Iterator[Finding]:
    """What the service manager says of it, if it runs."""
    if not state.has_manager:
        yield warning(
            f"{service.path} is there, and systemd does not run or cannot be asked",
            "Run this in a session of the user that gaia runs as.",
        )
        return
    if state.active == "failed":
        yield failed(
            f"gaia's service has failed ({state.result or 'unknown'})",
            "'gaia logs' shows why. Then run 'gaia service install' again.",
        )
    if state.enabled not in ("enabled", "enabled-runtime"):
        yield warning("gaia's service is not started with the machine", _again(service))
    if state.lingers is False:
        yield warning("gaia's service ends when you log out", "Run 'loginctl enable-linger'.")


def _expected(service: Service, text: str, home: Home, settings: Settings) -> str:
    if service.scope is Scope.USER:
        return user_unit(home, settings).signed_text
    return system_unit(home, settings, value_of(text, "User")).signed_text


async def _renew(service: Service, home: Home, settings: Settings) -> str:
    unit = user_unit(home, settings)
    await asyncio.to_thread(service.install, unit, force=False, starts=False)
    return f"{service.path} is updated: it applies from gaia's next start"


def _again(service: Service) -> str:
    if service.scope is Scope.SYSTEM:
        return "Run 'gaia service install --system --run-as USER' as root."
    return "Run 'gaia service install'."
