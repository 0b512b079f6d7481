"""A home on disk with an opened gaia.db, and time that stands still."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.testing.clock import FakeClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(home: Home, fresh_home: Home) -> AsyncIterator[Database]:
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield database
    await database.close()
