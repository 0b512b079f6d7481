"""The daemon's life: it starts, runs until it is asked to stop, drains and ends.

`serve` is the process of `gaia serve`; `hosted` is the same daemon inside a
`gaia chat` that found none running, `timed` one that lives by another clock.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial

from starlette.applications import Starlette

from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.app import models
from gaia.app.apply import INDEX, METRICS, SCHEDULE, WEB, SettingsApplier, channel_task, places
from gaia.app.build import App
from gaia.app.opened import Opened, open_home
from gaia.app.peers import Peers
from gaia.app.reload import ConfigReloader
from gaia.app.start import Start, prepare, signals
from gaia.app.tasks import Listeners, Place, Tasks
from gaia.clock import SystemClock
from gaia.digest.worker import learned
from gaia.ops.hand_over import hand_over_routes, lock_for_service
from gaia.ops.service import watchdog
from gaia.ops.service.unit import ENDING_SECONDS
from gaia.ops.service.watchdog import ServiceManager, Watchdog
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.store.lock import DaemonLock
from gaia.web.app import local_app, metrics_app, public_app
from gaia.web.local import settings_routes
from gaia.web.page.parts import page_link_route, page_route
from gaia.web.server import WebServer

logger = logging.getLogger(__name__)

PAGE = "memory page"
REMINDERS = "reminders"

Announce = Callable[[str], None]

SIGN_SECONDS = 10.0
"""How long the watchdog waits for the database, and for the web server."""


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
    clock = SystemClock()
    manager = ServiceManager.of_environment(os.environ, clock)
    stop, hang_up = asyncio.Event(), asyncio.Event()
    start = prepare(home, manager, clock, hang_up, log_to_terminal=True)
    with signals(stop, hang_up):
        async with manager.given_time():
            lock = await lock_for_service(home, clock)
        async with _running(start, extra_channels, lock=lock) as app:
            code = await app.strangers.invite_owner() if announce else None
            if announce and code:
                announce(code)
            await stop.wait()


@asynccontextmanager
async def hosted(
    home: Home, on_learning: Callable[[], None] | None = None
) -> AsyncIterator[asyncio.Event]:
    """Run, with the terminal alone and no port, for as long as the block lasts. The event is
    set when a service wants the home.

    Who stays for a message alone gives `on_learning`: conversations that idled before it are
    read when the block ends, which it is told when that takes a moment.

    Raises:
        SettingsError: The configuration is wrong, and there is no last good one.
        AlreadyRunningError: Another daemon has the home.
        GaiaError: It cannot start for another cause.
    """
    clock = SystemClock()
    start = prepare(home, ServiceManager(clock=clock), clock, None, log_to_terminal=False)
    asked = asyncio.Event()
    async with _running(start, asked=asked) as app:
        if on_learning is not None:
            # Before the message: it would count as one of the conversation that idled.
            await app.digest_worker.sweep()
        yield asked
        if on_learning is not None and not asked.is_set():
            await learned(app.digest_worker, on_learning)


@asynccontextmanager
async def timed(
    home: Home, clock: Clock, model: ChatModel, *channels: Channel, hang_up: asyncio.Event
) -> AsyncIterator[App]:
    """Run as `serve` does for as long as the block lasts, by this clock and with this model.
    Setting `hang_up` takes up changed settings.

    The schedule goes by the machine's time whatever the clock says: whoever moves the clock
    runs `App.jobs` by `App.ledger`.
    """
    start = prepare(home, ServiceManager(clock=clock), clock, hang_up, log_to_terminal=False)
    async with _running(start, channels, model) as app:
        yield app


@asynccontextmanager
async def _running(
    start: Start,
    extra_channels: Sequence[Channel] = (),
    model: ChatModel | None = None,
    *,
    lock: DaemonLock | None = None,
    asked: asyncio.Event | None = None,
) -> AsyncIterator[App]:
    """Open the home, listen, start, run for as long as the block lasts, drain, and close.
    `model` is in the place of the settings'; `lock` is held already, and `asked` is set by who
    wants the home."""
    async with AsyncExitStack() as stack:
        held = stack.enter_context(DaemonLock(start.home)) if lock is None else lock
        stack.callback(held.release)
        opened = await open_home(start, extra_channels, model, stack, held)
        with _unwrapped():
            async with asyncio.TaskGroup() as group:
                daemon = Daemon(start, opened, group, asked)
                daemon.listen(stack)
                try:
                    await daemon.start()
                    yield opened.app
                finally:
                    await daemon.drain()
    logger.info("gaia has stopped")


class Daemon:
    """Runs an App by tasks of `group`: `listen`, `start` and, in the end, `drain`."""

    def __init__(
        self,
        start: Start,
        opened: Opened,
        group: asyncio.TaskGroup,
        asked: asyncio.Event | None = None,
    ) -> None:
        self._start = start
        self._asked = asked
        self._opened = opened
        self._app = app = opened.app
        self._tasks = Tasks(group, start.clock)
        apps = {
            WEB: lambda: public_app(app.status, app.hooked, start.clock, [page_route(app.page)]),
            PAGE: lambda: Starlette(routes=[page_route(app.page)]),
            METRICS: lambda: metrics_app(app.metrics.text),
        }
        self._listeners = Listeners(self._tasks, apps)
        self._peers = Peers(opened, self._tasks)
        self._reloader = ConfigReloader(
            start.home,
            SettingsApplier(
                start.home,
                start.loaded,
                app,
                self._tasks,
                self._listeners,
                start.clock,
                hosted=start.hosted,
            ),
            app.settings_state,
            opened.database,
            start.clock,
            start.manager,
            start.watch,
            changed=self._peers.settings_changed,
        )

    def listen(self, stack: AsyncExitStack) -> None:
        """Serve the ports of the settings and the control socket. `stack` closes the ports.

        Raises:
            ListenError: It cannot listen on a port.
        """
        app, reloader = self._app, self._reloader
        stack.enter_context(self._listeners.closing())
        if not self._start.hosted:
            for name, place in places(self._start.loaded.settings).items():
                self._listeners.open(name, place)
        routes = settings_routes(
            lambda: reloader.reload("the command line asks"), reloader.differences
        )
        page = page_link_route(app.page, self._page_address)
        given = [] if self._asked is None else hand_over_routes(self._asked)
        control = local_app(app.status, app.recover, [*app.local_routes, *routes, page, *given])
        server = WebServer(control, self._opened.control_socket)
        self._tasks.start("control socket", server.run_until_cancelled, supervised=False)

    def _page_address(self) -> str:
        """Where the memory page is: on the web server, and where that is off, on a port of this
        machine alone, which is opened for the first who asks.

        Raises:
            ListenError: No port can be opened.
        """
        served = self._listeners.address(WEB) or self._listeners.address(PAGE)
        if served is None:
            self._listeners.open(PAGE, Place("127.0.0.1", 0))
            served = self._listeners.address(PAGE)
        return f"http://{served}"

    async def start(self) -> None:
        """Serve the channels, take up what an earlier process left, and say when gaia is
        ready. What takes long or can wait begins after that."""
        app, tasks = self._app, self._tasks
        async with self._reloader.put_off():
            for name, channel in app.channels.items():
                tasks.start(channel_task(name), partial(channel.serve, app.gateway(name)))
            tasks.start("home", self._opened.home_watch.run)
            tasks.start("clock", app.clock_watch.run)
            tasks.start("warming", app.warmer.run)
            self._peers.hear(self._follow)
            await app.recover()
            app.status.started = True
            # They import for seconds.
            tasks.run_once("first use", partial(asyncio.to_thread, models.load_first_use))
            tasks.start(INDEX, app.index.serve)
            self._lead_in_turn()
        tasks.start("settings", self._reloader.watch)
        self._peers.share_settings(self._start, self._reloader)
        if self._start.hang_up is not None:
            tasks.start("SIGHUP", partial(_reload_on, self._start.hang_up, self._reloader))
            tasks.start("watchdog", self._watchdog().run)
        ready = f"gaia {__version__} is ready, model {app.answering.model.value.describe()}"
        logger.info("%s", ready)
        self._start.manager.ready(ready)

    def _lead_in_turn(self) -> None:
        app, tasks = self._app, self._tasks
        tasks.start(SCHEDULE, self._as_leader(app.schedule.run))
        tasks.start(REMINDERS, self._as_leader(app.reminder_worker.run))

    async def _follow(self) -> None:
        """Leave to another process what one does for all."""
        for name in (SCHEDULE, REMINDERS):
            await self._tasks.stop(name)
        await self._app.follow()
        self._lead_in_turn()

    def _as_leader(self, run: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """What one of several processes does, which begins with it once it leads."""

        async def run_as_leader() -> None:
            await self._app.shares.until_leads()
            await run()

        return run_as_leader

    async def drain(self) -> None:
        """Begin nothing new, let what runs end in time, and cancel all tasks."""
        if self._peers.have_taken_over:
            # Whatever it would still write is refused.
            await self._give_up()
            return
        app, seconds = self._app, self._app.settings.value.limits.drain_seconds
        app.status.started = False
        self._start.manager.stopping(seconds + ENDING_SECONDS)
        self._reloader.stop()
        # What a model has not answered is asked again after the next start.
        for part in (app.digest_worker, app.profiles, app.backups):
            await part.cancel()
        try:
            async with asyncio.timeout(seconds):
                await app.handlers.drain()
                await app.command_runner.drain()
                await app.delivery.flush()
                await app.forget_worker.flush()
                await app.home_cleaner.flush()
                await self._reloader.ended()
        except TimeoutError:
            logger.warning("not all turns ended in %.0f s: the next start takes them up", seconds)
            await self._give_up()
        self._tasks.cancel()

    async def _give_up(self) -> None:
        app = self._app
        app.status.started = False
        late = (app.handlers, app.command_runner, app.delivery, app.forget_worker, app.home_cleaner)
        for each in late:
            await each.cancel()
        self._tasks.cancel()

    def _watchdog(self) -> Watchdog:
        channels = self._app.channels
        signs = (
            watchdog.of_parts(lambda: {name: each.health() for name, each in channels.items()}),
            watchdog.of_store(self._opened.database, seconds=SIGN_SECONDS),
            watchdog.of_web(self._start.home.control_socket, seconds=SIGN_SECONDS),
        )
        return Watchdog(self._start.manager, signs, self._start.clock)


@contextmanager
def _unwrapped() -> Iterator[None]:
    """Raise the one exception of a group as itself: its message is for the owner."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None


async def _reload_on(hang_up: asyncio.Event, reloader: ConfigReloader) -> None:
    while True:
        await hang_up.wait()
        hang_up.clear()
        await reloader.reload("SIGHUP")
