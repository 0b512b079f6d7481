"""The daemon's life: it starts, runs until it is asked to stop, drains and ends.

`serve` is the process of `gaia serve`; `hosted` is the same daemon inside a
`gaia chat` that found none running, `timed` one that lives by another clock.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

from gaia import __version__, garbage, logs
from gaia.agent.models import ChatModel, build_model
from gaia.app import models
from gaia.app.apply import INDEX, METRICS, SCHEDULE, WEB, SettingsApplier, channel_task, places
from gaia.app.build import App, build_app
from gaia.app.channels import require_secrets
from gaia.app.reload import ConfigReloader
from gaia.app.tasks import Listeners, Tasks
from gaia.clock import SystemClock
from gaia.errors import HomeError, SettingsError
from gaia.ops.service import watchdog
from gaia.ops.service.unit import ENDING_SECONDS
from gaia.ops.service.watchdog import ServiceManager, Watchdog
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.settings import load
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.providers import resolve_loaded
from gaia.settings.watch import Watch
from gaia.store.engine import Database
from gaia.store.lock import DaemonLock
from gaia.store.opening import open_database
from gaia.web.app import local_app, metrics_app, public_app
from gaia.web.local import settings_routes
from gaia.web.server import WebServer, listen_on_path

logger = logging.getLogger(__name__)

Announce = Callable[[str], None]

SIGN_SECONDS = 10.0
"""How long the watchdog waits for the database, and for the web server."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a daemon starts with: the settings, and the files that they were read from."""

    loaded: LoadedSettings
    watch: Watch


async def serve(
    home: Home, *, extra_channels: Sequence[Channel] = (), announce: Announce | None = None
) -> None:
    """Run until SIGTERM or SIGINT, then drain. A second signal ends it at once; SIGHUP
    takes up changed settings.

    `announce` gets the code by which the owner can pair, where that is due: it is a
    secret for an hour, so that no log may have it.

    Raises:
        SettingsError: The configuration is wrong, and there is no last good one.
        AlreadyRunningError: Another daemon has the home.
        GaiaError: It cannot start for another cause.
    """
    manager = ServiceManager.of_environment(os.environ, SystemClock())
    prepared = _prepare(home, log_to_terminal=True)
    stop = asyncio.Event()
    hang_up = asyncio.Event()
    with _signals(stop, hang_up):
        async with _running(home, prepared, manager, hang_up, extra_channels) as app:
            code = await app.strangers.invite_owner() if announce else None
            if announce and code:
                announce(code)
            await stop.wait()


@asynccontextmanager
async def hosted(home: Home) -> AsyncIterator[None]:
    """Run, with the terminal alone and no port, for as long as the block lasts.

    Raises:
        SettingsError: The configuration is wrong, and there is no last good one.
        AlreadyRunningError: Another daemon has the home.
        GaiaError: It cannot start for another cause.
    """
    prepared = _prepare(home, log_to_terminal=False)
    async with _running(home, prepared, ServiceManager(clock=SystemClock())):
        yield


@asynccontextmanager
async def timed(
    home: Home, clock: Clock, model: ChatModel, *channels: Channel, hang_up: asyncio.Event
) -> AsyncIterator[App]:
    """Run as `serve` does for as long as the block lasts, by this clock and with this model.
    Setting `hang_up` takes up changed settings.

    The schedule goes by the machine's time whatever the clock says: whoever moves the clock
    runs `App.jobs` by `App.ledger`.
    """
    prepared, manager = _prepare(home, log_to_terminal=False), ServiceManager(clock=clock)
    async with _running(home, prepared, manager, hang_up, channels, clock, model) as app:
        yield app


def _prepare(home: Home, *, log_to_terminal: bool) -> Prepared:
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
    return Prepared(loaded, watch)


def _load(home: Home, *, hosted: bool) -> LoadedSettings:
    """The settings in the files, or the last good ones where these cannot be used."""
    try:
        loaded = _usable(load_settings(home), hosted=hosted)
    except SettingsError as exc:
        return _usable(load.load_last_good(home, exc), hosted=hosted)
    try:
        load.keep(home, loaded)
    except HomeError as exc:
        # A disk that is full keeps nobody from starting; the log cannot tell it yet.
        logger.warning("%s", exc)
    return loaded


def _usable(loaded: LoadedSettings, *, hosted: bool) -> LoadedSettings:
    resolve_loaded(loaded)
    if not hosted:
        require_secrets(loaded)
        if loaded.settings.tracing.enabled:
            from gaia.ops.tracing import require_extra

            require_extra(loaded.settings.tracing)
    return loaded


@asynccontextmanager
async def _running(
    home: Home,
    prepared: Prepared,
    manager: ServiceManager,
    hang_up: asyncio.Event | None = None,
    extra_channels: Sequence[Channel] = (),
    clock: Clock | None = None,
    model: ChatModel | None = None,
) -> AsyncIterator[App]:
    """Run for as long as the block lasts; one that cannot be told to reload is hosted.
    `model` is in the place of the settings'."""
    clock, loaded = clock or SystemClock(), prepared.loaded
    hosted = hang_up is None
    async with AsyncExitStack() as stack:
        stack.enter_context(DaemonLock(home))
        if loaded.settings.tracing.enabled and not hosted:
            # OpenTelemetry is for those who trace, and for nobody else.
            from gaia.ops.tracing import Tracing

            tracing = Tracing.start(loaded.settings.tracing, os.environ, clock)
            if tracing is not None:
                stack.push_async_callback(tracing.stop)
        async with manager.given_time():
            database = await _open_stores(stack, home)
        with garbage.building():
            model = model or build_model(resolve_loaded(loaded), loaded.settings.model, home, clock)
            app = build_app(
                home,
                loaded,
                database,
                clock,
                model=model,
                hosted=hosted,
                extra_channels=extra_channels,
            )
        stack.push_async_callback(_close_model, app)
        local = stack.enter_context(listen_on_path(home.control_socket))
        with _unwrapped():
            async with asyncio.TaskGroup() as group:
                tasks = Tasks(group, clock)
                apps = {
                    WEB: lambda: public_app(app.status, app.hooked),
                    METRICS: lambda: metrics_app(app.metrics.text),
                }
                listeners = Listeners(tasks, apps)
                stack.enter_context(listeners.closing())
                applier = SettingsApplier(home, loaded, app, tasks, listeners, clock, hosted=hosted)
                reloader = ConfigReloader(
                    home,
                    applier,
                    app.settings_state,
                    database,
                    clock,
                    manager,
                    prepared.watch,
                )
                for name, place in places(loaded.settings).items() if not hosted else ():
                    listeners.open(name, place)
                routes = settings_routes(
                    lambda: reloader.reload("the command line asks"), reloader.differences
                )
                control = local_app(app.status, app.recover, [*app.local_routes, *routes])
                server = WebServer(control, local)
                tasks.start("control socket", server.run_until_cancelled, supervised=False)
                try:
                    async with reloader.put_off():
                        _start(tasks, app)
                        await app.recover()
                        app.status.ready = True
                        # After the daemon is ready: they import for seconds.
                        tasks.run_once(
                            "first use", partial(asyncio.to_thread, models.load_first_use)
                        )
                        tasks.start(INDEX, app.index.serve)
                        tasks.start(SCHEDULE, app.schedule.run)
                    if hang_up is not None:
                        tasks.start("settings", reloader.watch)
                        tasks.start("SIGHUP", partial(_reload_on, hang_up, reloader))
                        tasks.start("watchdog", _watchdog(manager, home, app, database, clock).run)
                    ready = f"gaia {__version__} is ready, model {model.describe()}"
                    logger.info("%s", ready)
                    manager.ready(ready)
                    yield app
                finally:
                    app.status.ready = False
                    manager.stopping(app.settings.now.limits.drain_seconds + ENDING_SECONDS)
                    await _drain(app, reloader)
                    tasks.cancel()
    logger.info("gaia has stopped")


async def _close_model(app: App) -> None:
    await app.answering.model.now.close()


async def _open_stores(stack: AsyncExitStack, home: Home) -> Database:
    database = await open_database(home)
    stack.push_async_callback(database.close)
    return database


@contextmanager
def _unwrapped() -> Iterator[None]:
    """Raise the one exception of a group as itself: its message is for the owner."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None


def _start(tasks: Tasks, app: App) -> None:
    for name, channel in app.channels.items():
        tasks.start(channel_task(name), partial(channel.serve, app.gateway(name)))
    tasks.start("warming", app.warming.run)


def _watchdog(
    manager: ServiceManager, home: Home, app: App, database: Database, clock: Clock
) -> Watchdog:
    signs = (
        watchdog.of_parts(lambda: {name: each.health() for name, each in app.channels.items()}),
        watchdog.of_store(database, seconds=SIGN_SECONDS),
        watchdog.of_web(home.control_socket, seconds=SIGN_SECONDS),
    )
    return Watchdog(manager, signs, clock)


async def _drain(app: App, reloader: ConfigReloader) -> None:
    reloader.stop()
    seconds = app.settings.now.limits.drain_seconds
    # What a model has not answered is asked again after the next start.
    await app.digesting.cancel()
    await app.profiles.cancel()
    await app.backups.cancel()
    try:
        async with asyncio.timeout(seconds):
            await app.handlers.drain()
            await app.dispatcher.drain()
            await app.delivery.flush()
            await app.forgetting.flush()
            await reloader.ended()
    except TimeoutError:
        logger.warning("not all turns ended within %.0f s: the next start takes them up", seconds)
        await app.handlers.cancel()
        await app.dispatcher.cancel()
        await app.delivery.cancel()
        await app.forgetting.cancel()


async def _reload_on(hang_up: asyncio.Event, reloader: ConfigReloader) -> None:
    while True:
        await hang_up.wait()
        hang_up.clear()
        await reloader.reload("SIGHUP")


@contextmanager
def _signals(stop: asyncio.Event, hang_up: asyncio.Event) -> Iterator[None]:
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
