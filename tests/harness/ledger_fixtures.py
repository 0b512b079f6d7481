"""Fixtures: a home on disk with an opened gaia.db and a ledger, two people and a group, and
time that stands still. A conftest takes those that its tests need."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.testing.clock import START, FakeClock
from tests.harness.book import Book


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


@pytest.fixture
def book(database: Database) -> Book:
    return Book(database)


@pytest.fixture
async def ada(database: Database) -> User:
    return await database.write(identities.create, "Ada", Role.OWNER, now=START)


@pytest.fixture
async def bob(database: Database) -> User:
    return await database.write(identities.create, "Bob", Role.MEMBER, now=START)


@pytest.fixture
async def family(database: Database) -> User:
    return await database.write(identities.create, "Family", Role.GUEST, now=START, is_group=True)
