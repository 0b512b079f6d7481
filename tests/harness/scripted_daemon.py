"""Daemons one after the other, in a hurry.

`python -m tests.harness.scripted_daemon [URL]` is a real daemon in the home of GAIA_HOME,
which, given the URL of a `ChatProvider`, has that channel as well. Each is forked from a
process that has imported everything: what takes seconds of a start is done once, and a
daemon may be killed as often as a test likes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from gaia.app import daemon
from gaia.cli.main import exit_now
from gaia.paths import Home, find_home
from gaia.ports import Channel
from tests.harness.forked import Forked, ForkServer
from tests.servers.chat_provider import PollingChannel


class Daemons:
    """Starts daemons, one at a time."""

    def __init__(self, forks: ForkServer, home: Home | None, urls: Sequence[str]) -> None:
        self._forks = forks
        self._home = home
        self._urls = urls
        self._process: Forked | None = None

    async def start(self, home: Home | None = None) -> None:
        """Start the next daemon, once the one before has ended. `home` is where, if it
        is another home than `daemons` was given."""
        await self.ended()
        place = home or self._home
        self._process = await self._forks.start(
            "tests.harness.scripted_daemon",
            *self._urls,
            environ={**os.environ, **({"GAIA_HOME": str(place.root)} if place else {})},
            stdin=DEVNULL,
        )

    async def ended(self) -> int:
        """Return once the daemon that ran has ended: its exit code, negative for a signal."""
        return await self._process.wait() if self._process else 0

    def kill(self) -> None:
        """Kill the daemon that runs, without a word."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the daemon that runs to end."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self._process and self._process.returncode is None:
            self._process.send_signal(number)


@asynccontextmanager
async def daemons(forks: ForkServer, home: Home | None, *urls: str) -> AsyncIterator[Daemons]:
    """Daemons in `home`, or where each is told to be. What still runs is killed on leaving."""
    started = Daemons(forks, home, urls)
    try:
        yield started
    finally:
        started.kill()
        await started.ended()


def main() -> None:
    """Serve until SIGTERM."""
    asyncio.run(_serve([PollingChannel(url) for url in sys.argv[1:]]))
    exit_now(0)


async def _serve(channels: Sequence[Channel]) -> None:
    await daemon.serve(find_home(), extra_channels=channels)


if __name__ == "__main__":
    main()
