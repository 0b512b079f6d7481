"""A household whose gaia learns by itself, from a model that is taught what to find."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from gaia.clock import SystemClock
from gaia.paths import Home
from tests.harness.household import Household
from tests.harness.learning_model import LearningModel
from tests.harness.scripted_daemon import Daemons
from tests.servers.model_server import running_model_server
from tests.servers.telegram import running_telegram


@pytest.fixture
def reader() -> LearningModel:
    """Reads the household's conversations. A test teaches it."""
    return LearningModel()


@pytest_asyncio.fixture(loop_scope="session")
async def household(home: Home, forge: Daemons, reader: LearningModel) -> AsyncIterator[Household]:
    async with (
        running_model_server(shaped=reader) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        yield Household(home, forge, model, telegram)
        assert telegram.violations == ()
