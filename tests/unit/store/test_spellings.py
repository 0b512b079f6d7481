"""Numbers with two spellings: a person linked by one is known by the other."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from gaia.errors import AddressTakenError
from gaia.messages import Address
from gaia.store import audit, conversations, senders
from gaia.store.engine import Database
from gaia.store.people import identities, own_chats
from gaia.store.people.spellings import spellings
from gaia.store.people.users import Role, Users
from gaia.store.tables import IdentityRow
from gaia.testing.clock import START, FakeClock

PAIRS = [
    ("+5511987654321", "+551187654321"),
    ("+5531971234567", "+553171234567"),
    ("+5585961234567", "+558561234567"),
    ("+5511912345678", "+551112345678"),
    ("+5215512345678", "+525512345678"),
    ("+5218112345678", "+528112345678"),
    ("+5491123456789", "+541123456789"),
    ("+5492944123456", "+542944123456"),
    ("+5493511234567", "+543511234567"),
]


@pytest.mark.parametrize(("longer", "shorter"), PAIRS)
def test_each_spelling_gives_the_other(longer: str, shorter: str) -> None:
    assert spellings(longer) == (longer, shorter)
    assert spellings(shorter) == (shorter, longer)


@pytest.mark.parametrize(
    "sender",
    [
        "+551134567890",
        "+5511934567890",
        "+550187654321",
        "+55119876543210",
        "+5521",
        "+521123456789",
        "+52155123456789",
        "+544123456789",
        "+491701234567",
        "+14155238886",
        "+5911512345678",
        "5511987654321",
        "+5511987654321\n",
        "+55११987654321",
        "ada",
        "",
    ],
)
def test_what_has_one_spelling_is_left_alone(sender: str) -> None:
    assert spellings(sender) == (sender,)


@pytest.fixture
def users(database: Database, clock: FakeClock) -> Users:
    return Users(database, clock)


@pytest.mark.parametrize(("linked", "written"), [*PAIRS[::3], *(pair[::-1] for pair in PAIRS[::3])])
async def test_who_is_linked_by_one_is_known_by_the_other(
    users: Users, database: Database, linked: str, written: str
) -> None:
    there, here = Address("whatsapp", linked), Address("whatsapp", written)
    ada = await users.create("Ada", Role.OWNER, there)
    bob = await users.create("Bob", Role.MEMBER)
    assert await users.resolve(here) == ada
    found = await database.read(senders.find, here, written, START)
    assert found is not None
    assert found.user == ada
    assert await database.read(senders.find, Address("fake", written), written, START) is None
    await users.link(ada, here)
    assert await users.addresses(ada) == (there,)
    with pytest.raises(AddressTakenError, match="belongs to 'Ada'"):
        await users.link(bob, here)
    await users.unlink(here)
    assert await users.resolve(there) is None


def _rename(session: Session, old: str, new: str) -> None:
    session.get_one(IdentityRow, ("whatsapp", old)).sender = new


async def test_two_people_who_had_one_spelling_each_keep_it(
    users: Users, database: Database
) -> None:
    longer, shorter = (Address("whatsapp", each) for each in PAIRS[0])
    ada = await users.create("Ada", Role.OWNER, longer)
    bob = await users.create("Bob", Role.MEMBER, Address("whatsapp", "+491"))
    await database.write(_rename, "+491", shorter.sender)
    assert [await users.resolve(each) for each in (longer, shorter)] == [ada, bob]
    for address, user in ((longer, ada), (shorter, bob)):
        found = await database.read(senders.find, address, address.sender, START)
        assert found is not None
        assert found.user == user
    await users.unlink(shorter)
    assert await users.addresses(ada) == (longer,)


async def test_a_number_that_is_named_otherwise_moves_to_its_other_spelling_alone(
    users: Users, database: Database
) -> None:
    longer, shorter = PAIRS[0]
    ada = await users.create("Ada", Role.OWNER, Address("whatsapp", longer))
    bob = await users.create("Bob", Role.MEMBER, Address("whatsapp", "+491"))
    await database.write(identities.move_address, "whatsapp", "+491", shorter, START)
    assert await users.addresses(bob) == (Address("whatsapp", "+491"),)
    await database.write(identities.move_address, "whatsapp", longer, shorter, START)
    assert await users.addresses(ada) == (Address("whatsapp", shorter),)


async def test_who_is_removed_leaves_neither_spelling(users: Users, database: Database) -> None:
    longer, shorter = (Address("whatsapp", each) for each in PAIRS[0])
    bob = await users.create("Bob", Role.MEMBER, longer)
    await database.write(audit.record_denied, shorter, START)
    await users.remove(bob)
    kept = await database.read(audit.entries)
    assert shorter not in [entry.address for entry in kept]


@pytest.mark.parametrize(("longer", "shorter"), PAIRS)
async def test_a_chat_is_somebodys_by_either(
    database: Database, users: Users, longer: str, shorter: str
) -> None:
    ada = await users.create("Ada", Role.MEMBER, Address("whatsapp", longer))
    with database.writing() as session:
        chat = conversations.create(
            session, user_id=ada.user_id, channel="whatsapp", chat=shorter, direct=True, now=START
        )
        assert own_chats.is_own(session, chat)
        assert own_chats.direct_of(session, [ada.user_id]) == [chat]
        assert own_chats.latest_direct(session, ada.user_id, ["whatsapp"]) == chat
        identities.unlink(session, Address("whatsapp", shorter))
        assert not own_chats.is_own(session, chat)
        assert own_chats.last_written(session, ada.user_id) is None
