"""Daemons one after the other, in a hurry.

`python -m gaia.testing.scripted_daemon [--index FOLDER] [URL]` starts a real daemon for each
line on its standard input, in the home that the line names, else in GAIA_HOME. It
prints the daemon's process id, and its exit code once it has ended. Given the URL of a
`ChatProvider` it has that channel as well. Each daemon is forked from this process,
which has imported everything (with `--index` what the vector index needs, too,
whose import writes into FOLDER): what takes seconds of a start is done once, and the
daemon may be killed as often as a test likes.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from gaia import daemon
from gaia.memory.index import environment
from gaia.paths import Home, find_home
from gaia.ports import Channel
from gaia.testing.chat_provider import PollingChannel

SLOW = (
    "alembic.command",
    "anyio._backends._asyncio",
    "channels.telegram.channel",
    "google.adk.a2a.agent",
    "google.adk.agents._agent_router",
    "google.adk.auth.auth_preprocessor",
    "google.adk.flows.llm_flows.auto_flow",
    "google.adk.integrations.openai",
    "google.adk.models.google_llm",
    "google.adk.tools.agent_tool",
    "google.adk.tools.google_search_tool",
    "google.adk.tools.vertex_ai_search_tool",
    "google.adk.workflow._llm_agent_wrapper",
    "google.adk.workflow._workflow",
    "httpcore._async.http2",
    "openai.resources",
)
"""What a daemon imports while it starts and with its first turn, for seconds."""

INDEX = ("mem0.utils.factory", "mem0.vector_stores.chroma", "gaia.memory.index.embedded")
"""What the vector index imports."""


class Daemons:
    """Starts daemons, one at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._pid = 0

    async def start(self, home: Home | None = None) -> None:
        """Start the next daemon, once the one before has ended. `home` is where, if it
        is another home than `daemons` was given."""
        await self.ended()
        if self._process.stdin is None:
            raise RuntimeError("the daemons' process has no pipes")
        self._process.stdin.write(f"{home.root if home else ''}\n".encode())
        await self._process.stdin.drain()
        self._pid = await self._number()

    async def ended(self) -> int:
        """Return once the daemon that ran has ended: its exit code, negative for a signal."""
        if not self._pid:
            return 0
        code = await self._number()
        self._pid = 0
        return code

    def kill(self) -> None:
        """Kill the daemon that runs, without a word."""
        os.kill(self._pid, signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the daemon that runs to end."""
        os.kill(self._pid, signal.SIGTERM)

    async def _number(self) -> int:
        if self._process.stdout is None:
            raise RuntimeError("the daemons' process has no pipes")
        return int(await self._process.stdout.readline())


@asynccontextmanager
async def daemons(home: Home | None, *arguments: str) -> AsyncIterator[Daemons]:
    """A process that starts daemons in `home`, or where each is told to be. What still
    runs is killed on leaving."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gaia.testing.scripted_daemon",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **({"GAIA_HOME": str(home.root)} if home else {})},
        start_new_session=True,
    )
    try:
        yield Daemons(process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def main() -> None:
    """Fork a daemon for each line of standard input."""
    parser = argparse.ArgumentParser(prog="python -m gaia.testing.scripted_daemon")
    parser.add_argument("--index", type=Path, metavar="FOLDER", help="import it as well")
    parser.add_argument("url", nargs="*", help="a scripted provider")
    arguments = parser.parse_args()
    if arguments.index:
        environment.prepare(arguments.index)
    for name in (*SLOW, *(INDEX if arguments.index else ())):
        importlib.import_module(name)
    channels = [PollingChannel(url) for url in arguments.url]
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            if line.strip():
                os.environ["GAIA_HOME"] = line.strip()
            asyncio.run(_serve(channels))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


async def _serve(channels: Sequence[Channel]) -> None:
    await daemon.serve(find_home(), extra_channels=channels)


if __name__ == "__main__":
    main()
