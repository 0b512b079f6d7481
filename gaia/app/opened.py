"""What is open for as long as a daemon lives: its home, its database, its control socket, and the
parts that are built on them."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gaia import garbage
from gaia.agent.models import ChatModel, build_model
from gaia.app.build import App, build_app
from gaia.app.start import Start
from gaia.core.shares import Shares
from gaia.ops.home_watch import HomeWatch
from gaia.paths import Home
from gaia.ports import Channel
from gaia.settings.providers import resolve_loaded
from gaia.store.engine import Database
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.web.server import listening_on_path

if TYPE_CHECKING:
    from gaia.store.processes.membership import Membership


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open for as long as the daemon lives."""

    database: Database
    home_watch: HomeWatch
    membership: Membership | None
    app: App
    control_socket: socket.socket


async def open_home(
    start: Start,
    extra_channels: Sequence[Channel],
    model: ChatModel | None,
    stack: AsyncExitStack,
    lock: DaemonLock,
) -> Opened:
    """Open the files of the home, and build what is to run. `stack` closes all of it."""
    home, loaded, clock = start.home, start.loaded, start.clock
    if loaded.settings.tracing.enabled and not start.hosted:
        # OpenTelemetry is for those who trace, and for nobody else.
        from gaia.ops.tracing import SpanSender

        tracing = SpanSender.start(loaded.settings.tracing, os.environ, clock)
        if tracing is not None:
            stack.push_async_callback(tracing.stop)
    async with start.manager.given_time():
        database = await open_database(home)
        stack.push_async_callback(database.close)
        database.require(lock.problem)
        home_watch = HomeWatch(home, database, clock)
        stack.push_async_callback(home_watch.look)
        membership = await _join(database, home, serves=not start.hosted)
        if membership is not None:
            stack.push_async_callback(membership.leave)
    with garbage.building():
        app = build_app(
            home,
            loaded,
            database,
            clock,
            shares=_shares_of(membership),
            model=model or build_model(resolve_loaded(loaded), loaded.settings.model, home, clock),
            hosted=start.hosted,
            extra_channels=extra_channels,
        )

    async def close_model() -> None:
        await app.answering.model.value.close()

    stack.push_async_callback(close_model)
    stack.push_async_callback(app.reranker.stop)
    control_socket = stack.enter_context(listening_on_path(home.control_socket))
    return Opened(database, home_watch, membership, app, control_socket)


async def _join(database: Database, home: Home, *, serves: bool) -> Membership | None:
    """Be one of the processes on the database; None on a SQLite file, which has one. One that
    does not serve lives for as long as a chat at this machine.

    Raises:
        StoreError: The database does not answer.
        HomeError: The home cannot be written to.
    """
    if database.server is None:
        return None
    # PostgreSQL's driver is an extra.
    from gaia.store.postgres.database import PostgresDatabase
    from gaia.store.processes.membership import Membership

    if not isinstance(database, PostgresDatabase):
        return None
    membership = Membership(database, home, serves=serves)
    await membership.join()
    return membership


def _shares_of(membership: Membership | None) -> Shares:
    """Which work is this process's own: all of it where it is no member."""
    if membership is None:
        return Shares()
    return Shares(
        conversations=membership,
        leader=membership.of_leader(),
        leads=lambda: membership.leads,
        lives=lambda: membership.lives,
        until_leads=membership.until_leads,
        here=membership.here,
        tell_forgotten=membership.tell_forgotten,
        processes=membership.processes,
    )
