"""A daemon's end of the terminal on a real UNIX socket, with a scripted core behind it."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import pytest
from starlette.applications import Starlette

from channels.terminal import Greeting, TerminalChannel
from gaia.cli.chat.host import Host
from gaia.cli.chat.run import Streams, chat
from gaia.errors import AlreadyRunningError, RefusedError
from gaia.messages import Address
from gaia.paths import Home
from gaia.ports import Clock
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import CoreState, ScriptedCore
from gaia.web.local import terminal_route
from gaia.web.server import WebServer, listen_on_path


class KnownUsers:
    """A greeter that knows everybody but the strangers."""

    def __init__(self) -> None:
        self.strangers: set[str] = set()
        self.embedded = False

    async def greet(self, address: Address) -> Greeting:
        if address.sender in self.strangers:
            raise RefusedError(f"{address.sender!r} is no user: add them with `gaia users add`")
        return Greeting(
            user_name=address.sender.title(),
            model="Echo",
            embedded=self.embedded,
            created=False,
            conversation_turns=0,
        )


class TerminalDaemon:
    """What of the daemon the terminal needs, to be started and stopped at will."""

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.users = KnownUsers()
        self.clock: Clock = FakeClock()
        self.hosted = False
        self.version = "0.1.0"
        self.state = CoreState()
        self.channel: TerminalChannel
        self.core: ScriptedCore
        self.server: WebServer

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ScriptedCore]:
        """Serve on the socket. What was received and not delivered outlives it."""
        self.channel = channel = TerminalChannel(
            self.users, self.clock, version=self.version, hosted=self.hosted
        )
        self.core = ScriptedCore(channel, self.clock, self.state)
        self.server = WebServer(
            Starlette(routes=[terminal_route(lambda: channel)]), listen_on_path(self.socket_path)
        )
        tasks = (
            asyncio.create_task(self.server.run_until_cancelled()),
            asyncio.create_task(self.core.run()),
        )
        try:
            await until(lambda: self.server.started)
            yield self.core
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            self.socket_path.unlink(missing_ok=True)

    def cut_connections(self) -> None:
        """Break all connections at once, as a crash would."""
        for connection in list(self.server.server_state.connections):
            connection.transport.abort()  # type: ignore[union-attr]


@pytest.fixture
def home() -> Iterator[Home]:
    """A home whose path is short enough for a socket, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="gaia") as folder:
        yield Home(Path(folder))


@pytest.fixture
def daemon(home: Home) -> TerminalDaemon:
    return TerminalDaemon(home.control_socket)


@dataclass
class Terminal:
    """A `gaia chat` in this process, with its three streams."""

    home: Home
    clock: FakeClock
    host: Host
    stdout: io.StringIO = field(default_factory=io.StringIO)
    stderr: io.StringIO = field(default_factory=io.StringIO)

    async def say(self, message: str, *, user: str = "ada") -> None:
        """`gaia chat -m MESSAGE`."""
        streams = Streams(io.StringIO(), self.stdout, self.stderr)
        await chat(self.home, self.host, self.clock, streams, user=user, message=message)

    async def read(self, stdin: TextIO, *, user: str = "ada") -> None:
        """`gaia chat < stdin`."""
        streams = Streams(stdin, self.stdout, self.stderr)
        await chat(self.home, self.host, self.clock, streams, user=user, message=None)


@asynccontextmanager
async def held_by_another() -> AsyncIterator[None]:
    """A host for a home that another process owns."""
    raise AlreadyRunningError("another daemon has the home")
    yield


@pytest.fixture
def terminal(home: Home) -> Terminal:
    """A terminal that finds a daemon and must not host one."""
    return Terminal(home, FakeClock(), held_by_another)


@pytest.fixture
def new_terminal(home: Home) -> Callable[[Host], Terminal]:
    """Makes terminals that may host a daemon."""
    return lambda host: Terminal(home, FakeClock(), host)
