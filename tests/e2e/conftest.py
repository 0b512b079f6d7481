"""Homes, users and daemons for the tests that run gaia as a user would: as a process.

`run_gaia` and `running_daemon` of these fixtures fork, which is quicker by seconds; those of
`tests.harness.processes` start `python -m gaia`, which a few tests do, so that a user's way
in is tested too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from gaia.paths import Home
from tests.harness import processes
from tests.harness.forked import ForkServer
from tests.harness.processes import DaemonProcess, Finished
from tests.harness.scripted_daemon import Daemons, daemons

RunningDaemon = Callable[..., AbstractAsyncContextManager[DaemonProcess]]
RunGaia = Callable[..., Awaitable[Finished]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
def run_gaia(forks: ForkServer) -> RunGaia:
    return partial(processes.run_gaia, start=forks.start)


@pytest.fixture
def running_daemon(forks: ForkServer) -> RunningDaemon:
    return partial(processes.running_daemon, start=forks.start)


@pytest_asyncio.fixture(loop_scope="session")
async def forge(forks: ForkServer) -> AsyncIterator[Daemons]:
    """Starts daemons for households: each is forked, and may be killed."""
    async with daemons(forks, None) as started:
        yield started
