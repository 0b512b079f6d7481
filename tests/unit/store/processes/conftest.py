"""A PostgreSQL database that several processes work on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from gaia.messages import Address
from gaia.store import conversations
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.store.postgres.database import PostgresDatabase
from gaia.testing.clock import START, FakeClock
from tests.harness.members import Member
from tests.harness.postgres import PostgresServer


@pytest.fixture
async def opened(postgres: PostgresServer) -> AsyncIterator[Callable[[], PostgresDatabase]]:
    """Opens the same database again and again, as processes do."""
    url = postgres.database()
    made: list[PostgresDatabase] = []

    def make() -> PostgresDatabase:
        made.append(PostgresDatabase(url))
        return made[-1]

    yield make
    for database in made:
        await database.close()
    postgres.drop(url)


@pytest.fixture
async def database(opened: Callable[[], PostgresDatabase]) -> PostgresDatabase:
    return opened()


@pytest.fixture
async def talk(database: PostgresDatabase) -> int:
    """The number of a conversation."""
    ada = await Users(database, FakeClock()).create("Ada", Role.OWNER, Address("fake", "ada"))
    with database.writing() as session:
        return conversations.create(
            session, user_id=ada.user_id, channel="fake", chat="ada", direct=True, now=START
        ).conversation_id


@pytest.fixture
def member(opened: Callable[[], PostgresDatabase], tmp_path: Path) -> Callable[[str], Member]:
    return lambda name: Member(opened(), tmp_path / name)
