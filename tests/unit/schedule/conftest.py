"""An opened gaia.db, and time that stands still."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path, fresh_home: Home) -> AsyncIterator[Database]:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield database
    await database.close()
