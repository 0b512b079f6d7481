"""`Users`: names, roles and addresses."""

from datetime import UTC, datetime

import pytest

from gaia.errors import (
    AddressTakenError,
    LastOwnerError,
    UnknownAddressError,
    UnknownUserError,
    UserNameError,
    UserNameTakenError,
)
from gaia.messages import Address
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.people.names import USER_ID
from gaia.store.people.users import Role, User, Users
from gaia.testing.clock import START, FakeClock

PHONE = Address("whatsapp", "+491")
LAPTOP = Address("terminal", "ada")


@pytest.fixture
def users(database: Database, clock: FakeClock) -> Users:
    return Users(database, clock)


@pytest.fixture
async def ada(users: Users) -> User:
    return await users.create("Ada", Role.OWNER, LAPTOP)


async def test_a_user_has_an_opaque_id_and_a_date(users: Users, ada: User) -> None:
    assert USER_ID.fullmatch(ada.user_id)
    assert ada == User(ada.user_id, "Ada", Role.OWNER, datetime(2026, 1, 1, 12, tzinfo=UTC))
    assert await users.list() == (ada,)


@pytest.mark.parametrize("spelling", ["Ada", "ada", "ADA", " Ada ", "\uff21\uff44\uff41"])
async def test_a_user_is_found_by_name_in_any_case(users: Users, ada: User, spelling: str) -> None:
    assert await users.find(spelling) == ada


async def test_a_user_is_found_by_id(users: Users, ada: User) -> None:
    assert await users.find(ada.user_id) == ada


@pytest.mark.parametrize(("first", "second"), [("Ada", "ADA"), ("Weiß", "WEISS"), ("É", "e\u0301")])
async def test_two_users_cannot_share_a_name(users: Users, first: str, second: str) -> None:
    await users.create(first, Role.MEMBER)
    with pytest.raises(UserNameTakenError, match=f"called '{first}'"):
        await users.create(second, Role.MEMBER)
    assert len(await users.list()) == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "has 0 characters"),
        ("   ", "has 0 characters"),
        ("x" * 65, "has 65 characters"),
        ("Ada\nLovelace", "do not print"),
        ("Ada\u200b", "do not print"),
        ("/reset", "looks like a command"),
        ("--json", "looks like an option"),
        ("@ada", "looks like a mention"),
        ("u_" + "a" * 26, "looks like the id of a user"),
        ("U_" + "A" * 26, "looks like the id of a user"),
    ],
)
async def test_a_name_that_cannot_be_a_person_is_refused(
    users: Users, name: str, problem: str
) -> None:
    with pytest.raises(UserNameError, match=problem):
        await users.create(name, Role.MEMBER)


@pytest.mark.parametrize("name", ["x" * 64, "Grace Hopper", "李雷", "Zoë 🌊", "Conversation #3"])
async def test_all_other_names_are_fine(users: Users, name: str) -> None:
    assert (await users.create(name, Role.GUEST)).name == name


async def test_an_unknown_name_brings_near_ones(users: Users) -> None:
    await users.create("Margaret", Role.MEMBER)
    await users.create("Grace", Role.MEMBER)
    with pytest.raises(UnknownUserError, match=r"'margret': did you mean Margaret\?$"):
        await users.find("margret")
    with pytest.raises(UnknownUserError, match="'Q': 'gaia users list' shows"):
        await users.find("Q")


async def test_an_address_resolves_to_the_user_it_was_linked_to(users: Users, ada: User) -> None:
    await users.link(ada, PHONE)
    await users.link(ada, PHONE)
    assert await users.resolve(LAPTOP) == ada
    assert await users.resolve(PHONE) == ada
    assert await users.addresses(ada) == (LAPTOP, PHONE)


async def test_a_stranger_resolves_to_nobody(users: Users, ada: User) -> None:
    assert await users.resolve(Address("terminal", "Ada")) is None
    assert await users.resolve(Address("telegram", "ada")) is None


async def test_an_address_cannot_be_taken_from_another_user(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.MEMBER)
    with pytest.raises(AddressTakenError, match=r"'Ada'.*gaia users unlink terminal ada"):
        await users.link(bob, LAPTOP)
    assert await users.resolve(LAPTOP) == ada


async def test_a_user_whose_address_is_taken_is_not_created(users: Users, ada: User) -> None:
    with pytest.raises(AddressTakenError):
        await users.create("Bob", Role.MEMBER, LAPTOP)
    assert await users.list() == (ada,)


async def test_an_unlinked_address_is_a_strangers(users: Users, ada: User) -> None:
    await users.unlink(LAPTOP)
    assert await users.resolve(LAPTOP) is None
    assert await users.find("Ada") == ada
    with pytest.raises(UnknownAddressError, match="'terminal:ada' belongs to nobody"):
        await users.unlink(LAPTOP)


async def test_a_role_changes_at_once(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.GUEST)
    assert (await users.set_role(bob, Role.OWNER)).role is Role.OWNER
    assert (await users.set_role(ada, Role.MEMBER)).role is Role.MEMBER
    assert [(user.name, user.role) for user in await users.list()] == [
        ("Ada", Role.MEMBER),
        ("Bob", Role.OWNER),
    ]


async def test_the_last_owner_stays_one(users: Users, ada: User) -> None:
    await users.create("Bob", Role.MEMBER)
    with pytest.raises(LastOwnerError, match="'Ada' is the only owner"):
        await users.set_role(ada, Role.GUEST)
    with pytest.raises(LastOwnerError, match="make another user an owner first"):
        await users.remove(ada)
    assert await users.set_role(ada, Role.OWNER) == ada


async def test_every_change_is_in_the_audit(database: Database, clock: FakeClock) -> None:
    users = Users(database, clock, by=audit.CLI)
    ada = await users.create("Ada", Role.OWNER, LAPTOP)
    await users.link(ada, PHONE)
    await users.link(ada, PHONE)
    await users.unlink(PHONE)
    bob = await users.create("Bob", Role.MEMBER)
    await users.set_role(bob, Role.GUEST)
    await users.remove(bob)
    with database.reading() as session:
        entries = audit.entries(session, limit=100)
        last = audit.entries(session, limit=2)
    assert [(e.action, e.subject_name, e.address, e.detail) for e in entries] == [
        (Action.ADDED, "Ada", LAPTOP, "owner"),
        (Action.LINKED, "Ada", PHONE, ""),
        (Action.UNLINKED, "Ada", PHONE, ""),
        (Action.ADDED, None, None, ""),
        (Action.ROLE_CHANGED, None, None, ""),
        (Action.REMOVED, None, None, ""),
    ]
    assert {(e.actor, e.actor_name, e.at) for e in entries} == {("cli", None, START)}
    assert [e.subject for e in entries[3:]] == [bob.user_id] * 3
    assert list(last) == list(entries[-2:])
