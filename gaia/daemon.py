"""The daemon's life: it starts, runs until it is asked to stop, drains and ends.

`serve` is the process of `gaia serve`; `hosted` is the same daemon inside a
`gaia chat` that found none running.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial

from gaia import __version__, logs
from gaia.agent.models import build_model
from gaia.agent.providers import resolve_loaded
from gaia.app import App, Stores, build_app
from gaia.clock import SystemClock
from gaia.core.supervisor import keep_running
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.sessions.opening import open_sessions
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.schema import Settings
from gaia.store.lock import DaemonLock
from gaia.store.opening import open_database
from gaia.web.app import local_app, public_app
from gaia.web.server import WebServer, listen_on_path, listen_on_port

logger = logging.getLogger(__name__)

Announce = Callable[[str], None]


async def serve(
    home: Home, *, extra_channels: Sequence[Channel] = (), announce: Announce | None = None
) -> None:
    """Run until SIGTERM or SIGINT, then drain. A second signal ends it at once.

    `announce` gets the code by which the owner can pair, where that is due: it is a
    secret for an hour, so that no log may have it.

    Raises:
        SettingsError: The configuration is wrong.
        AlreadyRunningError: Another daemon has the home.
        GaiaError: It cannot start for another cause.
    """
    loaded = _prepare(home, log_to_terminal=True)
    stop = asyncio.Event()
    with _signals(stop):
        async with _running(home, loaded, hosted=False, extra_channels=extra_channels) as app:
            code = await app.strangers.invite_owner() if announce else None
            if announce and code:
                announce(code)
            await stop.wait()


@asynccontextmanager
async def hosted(home: Home) -> AsyncIterator[None]:
    """Run, with the terminal alone and no port, for as long as the block lasts.

    Raises:
        SettingsError: The configuration is wrong.
        AlreadyRunningError: Another daemon has the home.
        GaiaError: It cannot start for another cause.
    """
    loaded = _prepare(home, log_to_terminal=False)
    async with _running(home, loaded, hosted=True):
        yield


def _prepare(home: Home, *, log_to_terminal: bool) -> LoadedSettings:
    home.create()
    loaded = load_settings(home)
    logs.configure(
        loaded.settings.logging,
        home.logs,
        loaded.secrets.values(),
        to_terminal=log_to_terminal,
    )
    for warning in loaded.warnings:
        logger.warning("%s", warning)
    return loaded


@asynccontextmanager
async def _running(
    home: Home,
    loaded: LoadedSettings,
    *,
    hosted: bool,
    extra_channels: Sequence[Channel] = (),
) -> AsyncIterator[App]:
    clock = SystemClock()
    settings = loaded.settings
    async with AsyncExitStack() as stack:
        stack.enter_context(DaemonLock(home))
        stores = await _open_stores(stack, home)
        resolved = resolve_loaded(loaded)
        model = build_model(resolved, settings.model, home, clock)
        stack.push_async_callback(model.close)
        app = build_app(
            home,
            loaded,
            stores,
            clock,
            model=model,
            hosted=hosted,
            extra_channels=extra_channels,
        )
        servers = _web_servers(stack, home, settings, app, hosted=hosted)
        with _unwrapped():
            async with asyncio.TaskGroup() as tasks:
                background = _start(tasks, app, servers, clock)
                try:
                    await app.recover()
                    app.status.ready = True
                    if app.index.enabled:
                        background.append(_start_index(tasks, app, clock))
                    schedule = keep_running("schedule", app.schedule.run, clock)
                    background.append(tasks.create_task(schedule))
                    logger.info("gaia %s is ready, model %s", __version__, app.model.describe())
                    yield app
                finally:
                    app.status.ready = False
                    await _drain(app, settings.limits.drain_seconds)
                    for task in reversed(background):
                        task.cancel()
    logger.info("gaia has stopped")


async def _open_stores(stack: AsyncExitStack, home: Home) -> Stores:
    database = await open_database(home)
    stack.push_async_callback(database.close)
    sessions = await open_sessions(home)
    stack.push_async_callback(sessions.close)
    return Stores(database, sessions)


@contextmanager
def _unwrapped() -> Iterator[None]:
    """Raise the one exception of a group as itself: its message is for the owner."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None


def _web_servers(
    stack: AsyncExitStack, home: Home, settings: Settings, app: App, *, hosted: bool
) -> list[WebServer]:
    listener = stack.enter_context(listen_on_path(home.control_socket))
    servers = [WebServer(local_app(app.status, app.recover, app.local_routes), listener)]
    if settings.web.enabled and not hosted:
        port = stack.enter_context(listen_on_port(settings.web.host, settings.web.port))
        logger.info("health on http://%s:%d/healthz", *port.getsockname()[:2])
        servers.append(WebServer(public_app(app.status, app.hooks), port))
    return servers


def _start(
    tasks: asyncio.TaskGroup, app: App, servers: Sequence[WebServer], clock: Clock
) -> list[asyncio.Task[None]]:
    background = [
        tasks.create_task(
            keep_running(f"channel {name}", partial(channel.serve, app.gateways[name]), clock)
        )
        for name, channel in app.channels.items()
    ]
    background.append(tasks.create_task(keep_running("warming", app.warming.run, clock)))
    background += [tasks.create_task(server.run_until_cancelled()) for server in servers]
    return background


def _start_index(tasks: asyncio.TaskGroup, app: App, clock: Clock) -> asyncio.Task[None]:
    """Apart from the others, and after the daemon is ready: it imports for seconds."""
    return tasks.create_task(keep_running("memory index", app.index.serve, clock))


async def _drain(app: App, seconds: float) -> None:
    # What a model has not answered is asked again after the next start.
    await app.digesting.cancel()
    await app.profiles.cancel()
    try:
        async with asyncio.timeout(seconds):
            await app.handlers.drain()
            await app.dispatcher.drain()
            await app.delivery.flush()
            await app.forgetting.flush()
    except TimeoutError:
        logger.warning("not all turns ended within %.0f s: the next start takes them up", seconds)
        await app.handlers.cancel()
        await app.dispatcher.cancel()
        await app.delivery.cancel()
        await app.forgetting.cancel()


@contextmanager
def _signals(stop: asyncio.Event) -> Iterator[None]:
    """Let SIGTERM and SIGINT set `stop`, and a second one end the process at once:
    everything that was accepted is on disk, so nothing is lost by that."""

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
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
