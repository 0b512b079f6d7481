"""Daemons one after the other, in a hurry.

`python -m gaia.testing.scripted_daemon [URL]` starts a real daemon in GAIA_HOME
for each line on its standard input, and prints the daemon's process id. Given
the URL of a `ChatProvider` it has that channel as well. Each daemon is forked from
this process, which has imported everything: what takes seconds of a start is
done once, and the daemon may be killed as often as a test likes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import google.adk.workflow  # noqa: F401
import telegram.ext  # noqa: F401

from gaia import daemon
from gaia.paths import Home, find_home
from gaia.ports import Channel
from gaia.testing.chat_provider import PollingChannel


class Daemons:
    """Starts daemons, one at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._pid = 0

    async def start(self) -> None:
        """Start the next daemon; the one before has ended."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the daemons' process has no pipes")
        self._process.stdin.write(b"\n")
        await self._process.stdin.drain()
        self._pid = int(await self._process.stdout.readline())

    def kill(self) -> None:
        """Kill the daemon that runs, without a word."""
        os.kill(self._pid, signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the daemon that runs to end."""
        os.kill(self._pid, signal.SIGTERM)


@asynccontextmanager
async def daemons(home: Home, *arguments: str) -> AsyncIterator[Daemons]:
    """A process that starts daemons in `home`. What still runs is killed on leaving."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gaia.testing.scripted_daemon",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "GAIA_HOME": str(home.root)},
        start_new_session=True,
    )
    try:
        yield Daemons(process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def main() -> None:
    """Fork a daemon for each line of standard input."""
    channels = [PollingChannel(url) for url in sys.argv[1:]]
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            asyncio.run(_serve(channels))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201
        os.waitpid(pid, 0)


async def _serve(channels: Sequence[Channel]) -> None:
    await daemon.serve(find_home(), extra_channels=channels)


if __name__ == "__main__":
    main()
