"""A household for the tests of memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from gaia.clock import SystemClock
from gaia.paths import Home
from tests.harness.household import Household
from tests.harness.learning_model import LearningModel
from tests.harness.scripted_daemon import Daemons
from tests.servers.model_server import running_model_server
from tests.servers.telegram import running_telegram


@pytest_asyncio.fixture(loop_scope="session")
async def household(home: Home, forge: Daemons) -> AsyncIterator[Household]:
    async with (
        running_model_server(shaped=LearningModel()) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        yield Household(home, forge, model, telegram)
        assert telegram.violations == ()
