"""gaia as a process: commands that end, daemons that run, and a person who talks to one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from channels.terminal_wire import ChunkFrame, PreviewFrame, TurnTextFrame, WelcomeFrame
from gaia import __version__
from gaia.cli.chat.host import DaemonFinder
from gaia.cli.chat.link import ExchangeResult, Link
from gaia.clock import SystemClock
from gaia.paths import Home

READY = "is ready"
"""Stands in the line that a daemon logs once it is ready."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str


class Process(Protocol):
    """What is asked of a process, of asyncio or forked."""

    pid: int

    @property
    def returncode(self) -> int | None: ...
    @property
    def stdout(self) -> asyncio.StreamReader | None: ...
    @property
    def stderr(self) -> asyncio.StreamReader | None: ...
    def send_signal(self, number: int, /) -> None: ...
    async def communicate(self, written: bytes, /) -> tuple[bytes, bytes]: ...
    async def wait(self) -> int: ...


class Starter(Protocol):
    """Runs a module as `python -m` does. The streams are as of asyncio's processes."""

    async def __call__(
        self,
        module: str,
        *arguments: str,
        environ: Mapping[str, str],
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> Process: ...


async def spawn(
    module: str,
    *arguments: str,
    environ: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> asyncio.subprocess.Process:
    """A `Starter` that has a new interpreter run it. `ForkServer.start` is quicker by seconds."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environ,
    )


async def run_gaia(
    home: Home,
    *arguments: str,
    stdin: str = "",
    environ: Mapping[str, str] | None = None,
    start: Starter = spawn,
) -> Finished:
    """Run a command to its end."""
    process = await start(
        "gaia",
        *arguments,
        environ={**os.environ, "GAIA_HOME": str(home.root), **(environ or {})},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    stdout, stderr = await process.communicate(stdin.encode())
    return Finished(await process.wait(), stdout.decode(), stderr.decode())


class DaemonProcess:
    """A `gaia serve` that runs."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.log: list[str] = []

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def until_logged(self, text: str) -> str:
        """The first line of the log that holds `text`.

        Raises:
            RuntimeError: The daemon ended without such a line.
        """
        while line := await self._read_line():
            if text in line:
                return line
        raise RuntimeError(f"the daemon ended and never logged {text!r}: {self.log}")

    async def terminate(self) -> int:
        """Ask it to stop; returns its exit code once it has."""
        return await self._end(signal.SIGTERM)

    async def kill(self) -> int:
        """Kill it without a word."""
        return await self._end(signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Its exit code, once it has ended."""
        while await self._read_line():
            pass
        return await self._process.wait()

    async def _end(self, number: signal.Signals) -> int:
        if self._process.returncode is None:
            self._process.send_signal(number)
        return await self.ended()

    async def _read_line(self) -> str:
        if self._process.stderr is None:
            return ""
        line = (await self._process.stderr.readline()).decode()
        if line:
            self.log.append(line.rstrip())
        return line


@asynccontextmanager
async def running_daemon(
    home: Home, *, environ: Mapping[str, str] | None = None, start: Starter = spawn
) -> AsyncIterator[DaemonProcess]:
    """A daemon that is ready. It is killed on leaving, if it still runs."""
    process = await start(
        "gaia",
        "serve",
        environ={**os.environ, "GAIA_HOME": str(home.root), **(environ or {})},
        stdin=DEVNULL,
        stderr=PIPE,
    )
    daemon = DaemonProcess(process)
    try:
        await daemon.until_logged(READY)
        yield daemon
    finally:
        await daemon.kill()


class NotAnsweredError(Exception):
    """A message came to an end without an answer."""


class Talker:
    """A person at a terminal, in this process: real client, real socket, no screen."""

    def __init__(self, home: Home, user: str) -> None:
        clock = SystemClock()
        self._clock = clock
        self._asked_at = 0.0
        self.replies: list[str] = []
        self.previews: list[PreviewFrame] = []
        self.first_seconds: float | None = None
        """How long after the last message the first words of its answer were shown."""
        self._attached = asyncio.Event()
        self._shown = asyncio.Event()
        self._finder = DaemonFinder(home.control_socket, _no_hosting, clock)
        self._link = Link(
            self._finder.connect,
            self,
            clock,
            user=user,
            interactive=True,
            version=__version__,
            save_file=lambda file, _: file.name,
        )

    async def run(self) -> None:
        """Stay attached until cancelled."""
        async with self._finder:
            await self._link.run()

    async def ask(self, text: str, *, wants_preview: bool = False) -> str:
        """Say something; returns the reply, once all of it is there.

        Raises:
            NotAnsweredError: The daemon denied the message, or could not keep it.
        """
        said = len(self.replies)
        self._asked_at, self.first_seconds = self._clock.monotonic(), None
        exchange = await self._link.say(text, wants_preview=wants_preview)
        ending = await exchange.ending()
        if ending is not ExchangeResult.ANSWERED:
            raise NotAnsweredError(ending)
        return "".join(self.replies[said:])

    async def until_attached(self) -> None:
        """Return once the daemon has welcomed this person."""
        await self._attached.wait()

    async def until_shown(self) -> None:
        """Return once something more of an answer is shown."""
        self._shown.clear()
        await self._shown.wait()

    async def attached(self, welcome: WelcomeFrame) -> None:
        self._attached.set()

    async def lost(self) -> None:
        self._attached.clear()

    async def reply(self, chunk: ChunkFrame, *, own: bool) -> None:
        self.replies.append(chunk.text)

    def preview(self, frame: PreviewFrame) -> None:
        self.previews.append(frame)
        self._shown.set()
        if self.first_seconds is None and isinstance(frame, TurnTextFrame):
            self.first_seconds = self._clock.monotonic() - self._asked_at


@asynccontextmanager
async def talking(home: Home, user: str) -> AsyncIterator[Talker]:
    """A person who is attached to the daemon of `home`."""
    talker = Talker(home, user)
    running = asyncio.create_task(talker.run())
    try:
        await talker.until_attached()
        yield talker
    finally:
        running.cancel()
        await asyncio.wait((running,))


def _no_hosting() -> AbstractAsyncContextManager[None]:
    raise RuntimeError("no daemon runs in this home")
