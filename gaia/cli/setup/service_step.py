"""gaia as a service of this user, if the machine has systemd."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gaia.cli.setup.steps import Setting

if TYPE_CHECKING:
    from gaia.ops.service.installing import Service, Steps
    from gaia.paths import Home


@dataclass(frozen=True, slots=True)
class ServiceDone:
    """What became of the service: `told` says so in a sentence, or more of them."""

    is_installed: bool
    told: str


def ask(setting: Setting) -> bool:
    """Whether it is to be installed."""
    if sys.platform != "linux":
        return False
    service = _of_this_user()
    if service.written() is not None or not service.state().has_manager:
        return False
    setting.dialogue.heading("The service")
    setting.dialogue.say("systemd can start gaia with the machine, and again should it fail.")
    return setting.dialogue.confirm("Install it as a service of yours?", default=True)


def install(home: Home, *, starts: bool) -> ServiceDone:
    """Install it. `starts` is whether it runs at once.

    Raises:
        ServiceError: It cannot be installed.
    """
    from gaia.errors import ServiceError
    from gaia.ops.service.installation import user_unit
    from gaia.settings.load import load_settings

    if sys.platform != "linux":
        raise ServiceError("gaia becomes a service by systemd, which this system does not have")
    unit = user_unit(home, load_settings(home).settings)
    return _told(_of_this_user().install(unit, force=False, starts=starts))


def _of_this_user() -> Service:
    from gaia.ops.service.installing import service_of
    from gaia.ops.service.unit import Scope

    return service_of(Scope.USER, os.environ)


def _told(steps: Steps) -> ServiceDone:
    by_hand = f" Left for you to run: {'; '.join(steps.by_hand)}." if steps.by_hand else ""
    return ServiceDone(True, f"gaia is a service: {steps.path}.{by_hand}")
