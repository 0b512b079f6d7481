"""Processes that start in milliseconds, forked from one that has imported everything.

A `Forked` is used as an `asyncio.subprocess.Process` is. `fork_server` is the other side.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.harness.fork_server import Start

NUMBER_BYTES = 16
"""Enough for a process id or an exit code."""


class Forked:
    """A process that was forked. Its streams are there where a pipe was asked for."""

    def __init__(
        self,
        pid: int,
        report: socket.socket,
        stdin: asyncio.WriteTransport | None,
        stdout: asyncio.StreamReader | None,
        stderr: asyncio.StreamReader | None,
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = stdout
        self.stderr = stderr
        self._stdin = stdin
        self._report = report

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    async def communicate(self, written: bytes = b"") -> tuple[bytes, bytes]:
        """Write to its input, and return what it has printed and complained of once it
        has ended."""
        if self._stdin is not None:
            self._stdin.write(written)
            self._stdin.close()
        stdout, stderr = await asyncio.gather(_rest(self.stdout), _rest(self.stderr))
        await self.wait()
        return stdout, stderr

    async def wait(self) -> int:
        """Its exit code once it has ended, negative for a signal."""
        if self.returncode is None:
            self.returncode = await _number(self._report)
            self._report.close()
        return self.returncode


class ForkServer:
    """Forks processes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    async def start(
        self,
        module: str,
        *arguments: str,
        environ: Mapping[str, str],
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> Forked:
        """Run a module as `python -m` does. A stream is `PIPE`, `DEVNULL`, or with None
        that of this process."""
        start = Start(
            module=module, arguments=list(arguments), environ=dict(environ), folder=str(Path.cwd())
        )
        report, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        report.setblocking(False)
        with ExitStack() as handed_over:
            handed_over.enter_context(theirs)
            descriptors, ours = [theirs.fileno()], []
            for number, wanted in enumerate((stdin, stdout, stderr)):
                inner, outer = _stream(number, wanted)
                descriptors.append(inner)
                ours.append(outer)
                if inner != number:
                    handed_over.callback(os.close, inner)
            socket.send_fds(self._control, [start.model_dump_json().encode()], descriptors)
        return Forked(
            await _number(report),
            report,
            await _writer(ours[0]),
            await _reader(ours[1]),
            await _reader(ours[2]),
        )


@contextmanager
def fork_server(name: str, folder: Path) -> Iterator[ForkServer]:
    """A process that has imported everything, or is about to: one for all that use the same
    `name`, which the first of them starts. What it imports may write into `folder`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as control:
        with (folder / "fork-server.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # A name that no file stands for.
            try:
                control.connect(f"\0{name}")
            except ConnectionRefusedError:
                _start_server(f"\0{name}", folder)
                control.connect(f"\0{name}")
        yield ForkServer(control)


def _start_server(address: str, folder: Path) -> None:
    """Start one, which ends by itself, after whoever started it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        listener.set_inheritable(True)
        number = str(listener.fileno())
        command = [sys.executable, "-m", "tests.harness.fork_server", number, str(folder)]
        os.posix_spawn(sys.executable, command, os.environ, setsid=True)


def _stream(number: int, wanted: int | None) -> tuple[int, int | None]:
    """Their end of a standard stream, and ours."""
    if wanted is None:
        return number, None
    if wanted == DEVNULL:
        return os.open(os.devnull, os.O_RDWR), None
    reading, writing = os.pipe()
    return (reading, writing) if number == 0 else (writing, reading)


async def _writer(descriptor: int | None) -> asyncio.WriteTransport | None:
    if descriptor is None:
        return None
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_write_pipe(asyncio.Protocol, open(descriptor, "wb", 0))  # noqa: SIM115, PTH123, ASYNC230
    return transport


async def _reader(descriptor: int | None) -> asyncio.StreamReader | None:
    if descriptor is None:
        return None
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    pipe = open(descriptor, "rb", 0)  # noqa: SIM115, PTH123, ASYNC230
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _rest(reader: asyncio.StreamReader | None) -> bytes:
    return b"" if reader is None else await reader.read()


async def _number(report: socket.socket) -> int:
    told = await asyncio.get_running_loop().sock_recv(report, NUMBER_BYTES)
    if not told:
        raise RuntimeError("the process that forks has ended: see what it wrote on stderr")
    return int(told)
