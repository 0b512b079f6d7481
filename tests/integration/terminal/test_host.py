"""Which process hosts the daemon when none runs as a service."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette

from gaia.cli.chat.host import HAND_OVER_SECONDS, DaemonFinder, Host
from gaia.cli.chat.link import RESTART_SECONDS
from gaia.errors import AlreadyRunningError, GaiaError, HomeError, NotRunningError
from gaia.paths import Home
from gaia.testing.clock import FakeClock, until
from gaia.web.server import WebServer, listen_on_path

if TYPE_CHECKING:
    from conftest import Terminal, TerminalDaemon

NewTerminal = Callable[[Host], "Terminal"]


class LockedHome:
    """Hosts a daemon for one at a time, as the home's lock does, and notes for whom."""

    def __init__(self, daemon: TerminalDaemon) -> None:
        daemon.hosted = True
        self.daemon = daemon
        self.hosts: list[str] = []
        self._taken = False

    def host_for(self, name: str) -> Host:
        @asynccontextmanager
        async def host() -> AsyncIterator[None]:
            if self._taken:
                raise AlreadyRunningError("another daemon has the home")
            self._taken = True
            self.hosts.append(name)
            try:
                async with self.daemon.running():
                    yield
            finally:
                self._taken = False

        return host


def broken_host(error: GaiaError) -> Host:
    @asynccontextmanager
    async def host() -> AsyncIterator[None]:
        raise error
        yield

    return host


async def answer_all(home: LockedHome) -> None:
    """Echo messages, whichever daemon gets them."""
    answered: list[str] = []
    received = home.daemon.state.received
    while True:
        await until(lambda: len(received) > len(answered))
        inbound = received[len(answered)]
        home.daemon.core.reply(inbound, f"echo {inbound.text}")
        answered.append(inbound.text)


async def test_a_chat_without_a_daemon_hosts_one_and_takes_it_down(
    daemon: TerminalDaemon, new_terminal: NewTerminal
) -> None:
    home = LockedHome(daemon)
    terminal = new_terminal(home.host_for("first"))
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(answer_all(home))
        await terminal.say("hello")
        answering.cancel()
    assert terminal.stdout.getvalue() == "echo hello\n"
    assert home.hosts == ["first"]
    assert not terminal.home.control_socket.exists()


async def test_a_second_chat_attaches_to_the_first_and_takes_over_when_it_leaves(
    daemon: TerminalDaemon, new_terminal: NewTerminal
) -> None:
    home = LockedHome(daemon)
    first, second = (new_terminal(home.host_for(name)) for name in ("first", "second"))
    first_in, first_out = os.pipe()
    second_in, second_out = os.pipe()
    with os.fdopen(first_in) as first_stdin, os.fdopen(second_in) as second_stdin:
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(answer_all(home))
            chatting = group.create_task(first.read(first_stdin))
            os.write(first_out, b"one\n")
            await until(lambda: first.stdout.getvalue() == "echo one\n")
            group.create_task(second.read(second_stdin))
            os.write(second_out, b"two\n")
            await until(lambda: second.stdout.getvalue() == "echo two\n")
            assert home.hosts == ["first"]
            os.close(first_out)
            await until(chatting.done)
            os.write(second_out, b"three\n")
            await until(lambda: second.stdout.getvalue() == "echo two\necho three\n", second.clock)
            assert home.hosts == ["first", "second"]
            assert second.clock.monotonic() < RESTART_SECONDS
            os.close(second_out)
            answering.cancel()


async def test_a_service_that_asks_for_the_home_has_time_to_take_it(
    daemon: TerminalDaemon, home: Home
) -> None:
    clock, let_go = FakeClock(), asyncio.Event()
    hosted: list[asyncio.Event] = []

    @asynccontextmanager
    async def host() -> AsyncIterator[asyncio.Event]:
        async with daemon.running():
            hosted.append(asyncio.Event())
            yield hosted[-1]
        let_go.set()

    async with DaemonFinder(home.control_socket, host, clock) as finder:
        connection = await finder.connect(0)
        hosted[0].set()
        await connection.wait_closed()
        await let_go.wait()
        connecting = asyncio.create_task(finder.connect(0))
        while clock.monotonic() < HAND_OVER_SECONDS - 1:
            await clock.until_sleeping()
            assert len(hosted) == 1
            clock.advance(1)
        await until(connecting.done, clock)
        assert len(hosted) == 2
        await (await connecting).close()


async def test_a_daemon_that_cannot_start_ends_the_chat_with_its_reason(
    new_terminal: NewTerminal,
) -> None:
    terminal = new_terminal(broken_host(HomeError("the home is not writable: mend it")))
    with pytest.raises(HomeError, match="not writable"):
        await terminal.say("hello")


async def test_a_home_whose_owner_does_not_listen_is_given_up(home: Home) -> None:
    clock = FakeClock()
    host = broken_host(AlreadyRunningError("another daemon has the home"))
    async with DaemonFinder(home.control_socket, host, clock) as finder:
        connecting = asyncio.create_task(finder.connect(0))
        await until(connecting.done, clock)
        with pytest.raises(NotRunningError, match=r"does not answer on '.*control\.sock'"):
            await connecting


async def test_a_chat_that_is_given_up_while_the_daemon_starts_stops_it(home: Home) -> None:
    events: list[str] = []

    @asynccontextmanager
    async def slow_host() -> AsyncIterator[None]:
        events.append("starting")
        try:
            await asyncio.Event().wait()
            yield
        finally:
            events.append("stopped")

    async def connect() -> None:
        async with DaemonFinder(home.control_socket, slow_host, FakeClock()) as finder:
            await finder.connect(0)

    connecting = asyncio.create_task(connect())
    await until(lambda: bool(events))
    connecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connecting
    assert events == ["starting", "stopped"]


async def test_a_hosted_daemon_that_breaks_ends_the_chat_with_its_reason(
    daemon: TerminalDaemon, new_terminal: NewTerminal
) -> None:
    daemon.hosted = True
    broken = asyncio.Event()

    @asynccontextmanager
    async def fragile_host() -> AsyncIterator[None]:
        async with asyncio.timeout(None) as patience, daemon.running():
            breaking = asyncio.create_task(broken.wait())
            breaking.add_done_callback(lambda _: patience.reschedule(0))
            yield

    terminal = new_terminal(fragile_host)
    chatting = asyncio.create_task(terminal.say("hello"))
    await until(lambda: bool(daemon.state.received))
    broken.set()
    await until(chatting.done, terminal.clock)
    with pytest.raises(TimeoutError):
        await chatting


async def test_a_daemon_without_a_terminal_is_not_replaced_but_explained(
    terminal: Terminal,
) -> None:
    server = WebServer(Starlette(), listen_on_path(terminal.home.control_socket))
    serving = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    with pytest.raises(NotRunningError, match=r"channels\.terminal\.enabled"):
        await terminal.say("hello")
    serving.cancel()
    await asyncio.wait((serving,))


async def test_a_socket_that_a_dead_daemon_left_behind_is_nobody(
    daemon: TerminalDaemon, new_terminal: NewTerminal
) -> None:
    home = LockedHome(daemon)
    terminal = new_terminal(home.host_for("first"))
    left_behind = socket.socket(socket.AF_UNIX)
    left_behind.bind(str(terminal.home.control_socket))
    left_behind.close()
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(answer_all(home))
        await terminal.say("hello")
        answering.cancel()
    assert terminal.stdout.getvalue() == "echo hello\n"
