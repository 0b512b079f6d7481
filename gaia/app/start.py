"""What a daemon starts with: the settings, read and checked before anything is opened."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gaia import logs
from gaia.app.base import require_extras
from gaia.app.channels import require_secrets
from gaia.clock import SystemClock
from gaia.errors import HomeError, SettingsError
from gaia.ops import mounts
from gaia.ops.service.watchdog import ServiceManager
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings import load
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.providers import resolve_loaded
from gaia.settings.watch import Watch

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """What a daemon starts with. `watch` looks at the files that `loaded` was read from;
    one without `hang_up`, by which it is told to reload, is hosted."""

    home: Home
    loaded: LoadedSettings
    watch: Watch
    manager: ServiceManager
    clock: Clock
    hang_up: asyncio.Event | None

    @property
    def hosted(self) -> bool:
        return self.hang_up is None


def prepare(
    home: Home,
    manager: ServiceManager,
    clock: Clock,
    hang_up: asyncio.Event | None,
    *,
    log_to_terminal: bool,
) -> Start:
    """Read the settings, and begin to log.

    Raises:
        SettingsError: The configuration is wrong, and there is no last good one.
        HomeError: The home cannot be written.
    """
    home.create()
    # Before they are read: whoever mends them while gaia starts is not overlooked.
    watch = Watch([home.settings_file, home.env_file], SystemClock())
    loaded = _load(home, hosted=not log_to_terminal)
    logs.configure(
        loaded.settings.logging,
        home.logs,
        loaded.secrets.values(),
        to_terminal=log_to_terminal,
    )
    if loaded.problem:
        logger.error("STARTED WITH THE LAST GOOD SETTINGS: %s", loaded.problem)
    for warning in loaded.warnings:
        logger.warning("%s", warning)
    if problem := mounts.problem(home, mounts.mount_below(home)):
        logger.warning("%s. %s", problem, mounts.remedy(home))
    return Start(home, loaded, watch, manager, clock, hang_up)


def _load(home: Home, *, hosted: bool) -> LoadedSettings:
    """The settings in the files, or the last good ones where these cannot be used."""
    try:
        loaded = load_usable(home, hosted=hosted)
    except SettingsError as exc:
        return _usable(load.load_last_good(home, exc), hosted=hosted)
    try:
        load.keep(home, loaded)
    except HomeError as exc:
        # A disk that is full keeps nobody from starting; the log cannot tell it yet.
        logger.warning("%s", exc)
    return loaded


def load_usable(home: Home, *, hosted: bool) -> LoadedSettings:
    """The settings in the files, with which a daemon can start.

    Raises:
        SettingsError: It cannot.
    """
    return _usable(load_settings(home), hosted=hosted)


def _usable(loaded: LoadedSettings, *, hosted: bool) -> LoadedSettings:
    resolve_loaded(loaded)
    require_extras(loaded.settings, hosted=hosted)
    if not hosted:
        require_secrets(loaded)
    return loaded


@contextmanager
def signals(stop: asyncio.Event, hang_up: asyncio.Event) -> Iterator[None]:
    """Let SIGTERM and SIGINT set `stop`, and a second one end the process at once:
    everything that was accepted is on disk, so nothing is lost by that. SIGHUP sets
    `hang_up`."""

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            logger.warning("%s again: ending at once", number.name)
            logging.shutdown()
            os._exit(1)
        logger.info("%s: ending after the turns that run", number.name)
        stop.set()

    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, on_signal, number)
    loop.add_signal_handler(signal.SIGHUP, hang_up.set)
    try:
        yield
    finally:
        for number in (*numbers, signal.SIGHUP):
            loop.remove_signal_handler(number)
