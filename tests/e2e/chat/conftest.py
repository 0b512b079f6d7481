"""`gaia chat` as a process in a terminal window of its own, and a scripted daemon for it."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from fcntl import ioctl
from pathlib import Path

import pyte
import pytest
from starlette.applications import Starlette

from channels.terminal import Greeting, TerminalChannel
from gaia.clock import SystemClock
from gaia.messages import Address, Inbound, TurnEnded, TurnStarted, TurnText
from gaia.paths import Home
from gaia.testing.clock import until
from gaia.testing.scripted_core import CoreState, ScriptedCore
from gaia.web.local import terminal_route
from gaia.web.server import WebServer, listen_on_path

COLUMNS, LINES = 80, 24
PATIENCE_SECONDS = 30


class Window:
    """A terminal window with `gaia chat` in it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._screen = pyte.HistoryScreen(COLUMNS, LINES, history=1000)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        self._ended = False
        self._keyboard = -1
        self._process: asyncio.subprocess.Process | None = None

    async def open(self) -> None:
        """Start the program."""
        self._keyboard, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from gaia.cli.main import main; main()",
            "chat",
            "--user",
            "ada",
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),
            env=os.environ
            | {"GAIA_HOME": str(self._home.root), "TERM": "xterm-256color", "NO_COLOR": "1"},
        )
        os.close(inside)
        asyncio.get_running_loop().add_reader(self._keyboard, self._read)

    async def close(self) -> None:
        """End the program, whatever it does."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        asyncio.get_running_loop().remove_reader(self._keyboard)
        os.close(self._keyboard)

    async def until_left(self) -> int:
        """The exit code, once the program has ended by itself."""
        assert self._process is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._process.wait()

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keyboard, keys.encode())

    def hang_up(self) -> None:
        """What the program gets when its window is closed."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def lines(self) -> list[str]:
        """All that stands in the window, scrolled off or not, without empty lines."""
        scrolled = [
            "".join(row[column].data for column in range(COLUMNS))
            for row in self._screen.history.top
        ]
        return [line.rstrip() for line in [*scrolled, *self._screen.display] if line.strip()]

    async def shows(self, text: str) -> None:
        """Return once a line holds `text`."""
        await self._until(text, lambda lines: any(text in line for line in lines))

    async def asks(self, typed: str = "") -> None:
        """Return once the last line is a prompt with `typed` in it."""
        prompt = f"> {typed}".rstrip()
        await self._until(repr(prompt), lambda lines: bool(lines) and lines[-1] == prompt)

    async def _until(self, what: str, condition: Callable[[list[str]], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not condition(self.lines()):
                    if self._ended:
                        raise TimeoutError
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError("\n".join([f"waited for {what}:", *self.lines()])) from None

    def _read(self) -> None:
        try:
            data = os.read(self._keyboard, 65536)
        except OSError:
            data = b""
        if not data:
            self._ended = True
            asyncio.get_running_loop().remove_reader(self._keyboard)
        self._stream.feed(data)
        self._changed.set()


class AnyoneIsWelcome:
    async def greet(self, address: Address) -> Greeting:
        return Greeting(
            address.sender.title(), "Echo", embedded=True, created=False, conversation_turns=4
        )


class Daemon:
    """The terminal's end of a daemon, whose answers the test gives."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.state = CoreState()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ScriptedCore]:
        clock = SystemClock()
        self.channel = TerminalChannel(AnyoneIsWelcome(), clock, version="0.1.0")
        core = ScriptedCore(self.channel, clock, self.state)
        server = WebServer(
            Starlette(routes=[terminal_route(lambda: self.channel)]),
            listen_on_path(self._home.control_socket),
        )
        tasks = (
            asyncio.create_task(server.run_until_cancelled()),
            asyncio.create_task(core.run()),
        )
        await until(lambda: server.started)
        try:
            yield core
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    def preview(self, inbound: Inbound, *texts: str, ended: bool = False) -> None:
        """Stream text of the answer to a message."""
        turn_id = turn_of(inbound)
        self.channel.watch(TurnStarted(inbound.chat, turn_id, (inbound.provider_message_id,)))
        for text in texts:
            self.channel.watch(TurnText(inbound.chat, turn_id, text))
        if ended:
            self.channel.watch(TurnEnded(inbound.chat, turn_id))

    def stop(self, inbound: Inbound) -> None:
        """Let the turn of a message end without an answer."""
        unanswered = (inbound.provider_message_id,)
        self.channel.watch(TurnEnded(inbound.chat, turn_of(inbound), unanswered))


def turn_of(inbound: Inbound) -> str:
    return f"turn-of-{inbound.provider_message_id}"


@pytest.fixture
def home() -> Iterator[Home]:
    """A home whose path is short enough for a socket, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="gaia") as folder:
        yield Home(Path(folder))


@pytest.fixture
def daemon(home: Home) -> Daemon:
    return Daemon(home)


@pytest.fixture
async def window(home: Home) -> AsyncIterator[Window]:
    window = Window(home)
    yield window
    await window.close()
