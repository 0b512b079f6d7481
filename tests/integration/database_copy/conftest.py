"""A home with rows in every table, and databases of PostgreSQL to copy them into."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL

from gaia.paths import Home
from gaia.store.location import VARIABLE
from tests.harness.copies import fill
from tests.harness.postgres import PostgresServer


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Both kinds of database are at work in each test, whichever the others use."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.sqlite)


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory, fresh_home: Home) -> Home:
    """What each test gets a copy of."""
    home = Home(tmp_path_factory.mktemp("filled") / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)
    fill(home)
    return home


@pytest.fixture
def full_home(tmp_path: Path, filled_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(filled_home.database, home.database)
    monkeypatch.setenv("GAIA_HOME", str(home.root))
    return home


@pytest.fixture
def bare(postgres: PostgresServer) -> URL:
    """A database without a table."""
    return postgres.database("template1")


@pytest.fixture
def empty(postgres: PostgresServer) -> URL:
    """A database with gaia's tables, and no rows."""
    return postgres.database()


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[URL | None], None]:
    """Has the home keep what it knows in that database; in gaia.db for None."""

    def use(url: URL | None) -> None:
        if url is None:
            monkeypatch.delenv(VARIABLE)
        else:
            monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))

    return use
