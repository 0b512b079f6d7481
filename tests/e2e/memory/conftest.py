"""Daemons for the tests of memory: forked from one process, which has imported the index."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from gaia.clock import SystemClock
from gaia.paths import Home
from gaia.testing.household import Household
from gaia.testing.model_server import running_model_server
from gaia.testing.scripted_daemon import Daemons, daemons
from gaia.testing.telegram import running_telegram


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def forge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Daemons]:
    async with daemons(None, "--index", str(tmp_path_factory.mktemp("mem0"))) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def household(home: Home, forge: Daemons) -> AsyncIterator[Household]:
    async with running_model_server() as model, running_telegram(SystemClock()) as telegram:
        yield Household(home, forge, model, telegram)
        assert telegram.violations == ()
