"""What is left of somebody who was removed."""

import pytest
from sqlalchemy import select

from gaia.errors import (
    UnknownUserError,
)
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.people import pairings, strangers
from gaia.store.people.pairing_tables import PairingPurpose
from gaia.store.people.pairings import Terms
from gaia.store.people.users import Role, User, Users
from gaia.store.tables import Base, UserRow
from gaia.testing.clock import START, FakeClock
from tests.harness.filled_tables import fill_tables

PHONE = Address("whatsapp", "+491")
LAPTOP = Address("terminal", "ada")


@pytest.fixture
def users(database: Database, clock: FakeClock) -> Users:
    return Users(database, clock)


@pytest.fixture
async def ada(users: Users) -> User:
    return await users.create("Ada", Role.OWNER, LAPTOP)


KEPT_ROWS = {
    "users": 2,
    "audit": 5,
    "indexes": 1,
    "index_shards": 2,
    "index_ops": 2,
    "job_runs": 0,
}
"""What is left of two users, each with a row in every table, when one is removed:
in the audit, that both were added and one was removed as well; of the one who is gone,
the index's shard and the operation that clears it."""


async def ask_to_be_let_in(database: Database, address: Address, *, name: str) -> None:
    """What is kept of a stranger before they are anybody."""
    terms = Terms(PairingPurpose.REQUEST, address, address.sender, direct=True, name=name)
    with database.writing() as session:
        pairings.add(session, terms, pairings.new_code(), START)
        strangers.mark_told(session, address, START)
        audit.record(session, Action.DENIED, at=START, by=audit.GAIA, address=address)


async def test_a_removed_user_is_unknown_everywhere(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    await users.remove(bob)
    assert await users.list() == (ada,)
    assert await users.resolve(PHONE) is None
    assert await users.addresses(bob) == ()
    for name in ("Bob", bob.user_id):
        with pytest.raises(UnknownUserError):
            await users.find(name)
    for change in (users.remove(bob), users.link(bob, PHONE), users.set_role(bob, Role.OWNER)):
        with pytest.raises(UnknownUserError, match="'Bob' has been removed meanwhile"):
            await change


async def test_removing_wipes_every_table_of_that_user_only(
    users: Users, ada: User, database: Database
) -> None:
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    for user in (ada, bob):
        fill_tables(database, user, f"a secret of {user.name}")
    await users.remove(bob)

    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            rows = session.execute(select(table)).all()
            assert len(rows) == KEPT_ROWS.get(table.name, 1), table.name
        tombstone = session.get_one(UserRow, bob.user_id)
        assert (tombstone.name, tombstone.name_key, tombstone.removed_at) == ("", "", START)


async def test_no_file_holds_a_word_of_a_removed_user(
    users: Users, ada: User, database: Database, home: Home
) -> None:
    bob = await users.create("Bobby Tables", Role.MEMBER, PHONE)
    fill_tables(database, bob, "the cake is in the cellar")
    await ask_to_be_let_in(database, PHONE, name="Bobby T.")
    await users.remove(bob)
    for file in home.root.glob("gaia.db*"):
        content = file.read_bytes()
        for word in (b"Bobby", b"bobby", b"cellar", b"+491"):
            assert word not in content


async def test_a_namesake_gets_nothing_of_a_removed_user(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.OWNER, PHONE)
    await users.remove(bob)
    namesake = await users.create("bob", Role.GUEST)
    assert namesake.user_id != bob.user_id
    assert await users.addresses(namesake) == ()
    assert await users.resolve(PHONE) is None


def test_every_table_belongs_to_a_user_or_to_a_conversation() -> None:
    for table in Base.metadata.sorted_tables:
        apart = {"strangers", "audit", "indexes", "job_runs"}
        assert table.name in apart or {"user_id", "conversation_id"} & set(table.c.keys()), (
            f"{table.name} would survive its user: see gaia.store.ownership"
        )
