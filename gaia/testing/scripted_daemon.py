"""Daemons with the channel of a `ChatProvider`, one after the other, in a hurry.

`python -m gaia.testing.scripted_daemon URL` starts a real daemon in GAIA_HOME
for each line on its standard input, and prints the daemon's process id. Each is
forked from this process, which has imported everything: what takes seconds of
a start is done once, and the daemon may be killed as often as a test likes.
"""

from __future__ import annotations

import asyncio
import os
import sys

import google.adk.workflow  # noqa: F401

from gaia import daemon
from gaia.paths import find_home
from gaia.testing.chat_provider import PollingChannel


def main() -> None:
    """Fork a daemon for each line of standard input."""
    url = sys.argv[1]
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            asyncio.run(_serve(url))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201
        os.waitpid(pid, 0)


async def _serve(url: str) -> None:
    await daemon.serve(find_home(), extra_channels=[PollingChannel(url)])


if __name__ == "__main__":
    main()
