"""Two users who become one: what moves, and what is refused."""

from datetime import timedelta

import pytest
from sqlalchemy import UniqueConstraint, select

from gaia.errors import GroupUserError, UnknownUserError
from gaia.memory import archive, forget
from gaia.memory.reminders import reminders
from gaia.memory.reminders.recurrence import Due
from gaia.memory.reminders.requests import Wanted
from gaia.messages import Address, Contact
from gaia.store import conversations, outbox, page_sessions
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemorySource
from gaia.store.outbox import SaidReminder
from gaia.store.ownership import APART, join_users
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.people.users import User, Users
from gaia.store.tables import AuditRow, Base, ConversationRow, OutboxRow
from gaia.testing.clock import START, FakeClock
from tests.harness.archived import talk

LAPTOP, PHONE, OLD_PHONE = (Address("telegram", sender) for sender in ("1", "2", "3"))


@pytest.fixture
def users(database: Database, clock: FakeClock) -> Users:
    return Users(database, clock)


async def join(database: Database, gone: User, into: User) -> User:
    return await database.write(join_users, gone, into, START)


async def test_nothing_of_somebody_who_joined_outlives_whom_they_joined(
    users: Users, database: Database
) -> None:
    await users.create("Grace", Role.OWNER)
    ada = await users.create("Ada", Role.MEMBER, LAPTOP)
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    await users.link(bob, OLD_PHONE)
    await users.unlink(OLD_PHONE)
    await join(database, bob, ada)
    await users.remove(ada)
    with database.reading() as session:
        rows = session.scalars(select(AuditRow)).all()
    assert len(rows) == 6
    assert {row.sender for row in rows} == {None}


async def test_one_who_is_removed_or_gone_cannot_join(users: Users, database: Database) -> None:
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    await join(database, bob, ada)
    for gone, into in ((bob, ada), (ada, bob)):
        with pytest.raises(UnknownUserError, match="'Bob' has been removed meanwhile"):
            await join(database, gone, into)
    assert await users.list() == (ada,)


async def test_a_group_joins_nobody(users: Users, database: Database) -> None:
    ada = await users.create("Ada", Role.OWNER)
    family = await database.write(identities.create, "Family", Role.GUEST, now=START, is_group=True)
    for gone, into in ((ada, family), (family, ada)):
        with pytest.raises(GroupUserError, match="a group is a group"):
            await join(database, gone, into)


def test_what_there_can_be_only_one_of_is_joined_and_not_moved() -> None:
    for table in Base.metadata.sorted_tables:
        groups = [set(table.primary_key.columns.keys())]
        groups += [
            set(each.columns.keys())
            for each in table.constraints
            if isinstance(each, UniqueConstraint)
        ]
        groups += [set(each.columns.keys()) for each in table.indexes if each.unique]
        for names in groups:
            known = (
                table in APART
                or table is MemoryRow.__table__
                or names & {"memory_id", "archive_id"}
            )
            assert "user_id" not in names or known, table.name
            assert "conversation_id" not in names or table is ConversationRow.__table__, (
                f"{table.name}: two conversations that become one would both have it"
            )


async def test_who_is_gone_is_signed_in_nowhere(users: Users, database: Database) -> None:
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    with database.writing() as session:
        links = [page_sessions.add_link(session, user.user_id, START) for user in (ada, bob)]
        tokens = [page_sessions.enter(session, link, START) or "" for link in links]
        link = page_sessions.add_link(session, bob.user_id, START)
    await join(database, bob, ada)
    with database.writing() as session:
        assert page_sessions.enter(session, link, START) is None
        known = [page_sessions.find(session, token, START) for token in tokens]
    assert [each and each.user_id for each in known] == [ada.user_id, None]


@pytest.mark.parametrize("last_by", [0, 1])
async def test_who_wrote_last_in_a_chat_of_both_keeps_them_in_contact(
    users: Users, database: Database, last_by: int
) -> None:
    both = [await users.create("Ada", Role.OWNER), await users.create("Bob", Role.MEMBER)]
    ada, bob = both
    with database.writing() as session:
        for user in both:
            place = conversations.find_or_create(
                session, user_id=user.user_id, channel="wire", chat="same", direct=True, now=START
            )
            if user is both[last_by]:
                at = START + timedelta(hours=1)
                conversations.note_written(session, place.conversation_id, at)
            else:
                lost = place.conversation_id
                conversations.note_written(session, lost, START)
                conversations.note_asked(session, lost, START, since=START)
    await join(database, bob, ada)
    (left,) = await database.read(conversations.of_user, ada.user_id)
    assert left.contact == Contact(START + timedelta(hours=1))


async def found(database: Database, user: User) -> list[str]:
    hits = await database.read(archive.search, user.user_id, words="boat", limit=9)
    return sorted(hit.turn.turn_id for hit in hits)


async def test_what_was_said_is_found_by_the_one_who_is_left(
    users: Users, database: Database
) -> None:
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    with database.writing() as session:
        for user in (ada, bob):
            talk(session, user.user_id, "a boat", turn_id=f"of-{user.name}", chat="same")
    await join(database, bob, ada)
    assert await found(database, ada) == ["of-Ada", "of-Bob"]
    assert await found(database, bob) == []


async def test_what_one_has_forgotten_goes_before_it_is_the_others(
    users: Users, database: Database
) -> None:
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    with database.writing() as session:
        talk(session, ada.user_id, "a boat", turn_id="of-ada")
        talk(session, bob.user_id, "a boat", turn_id="before")
        forget.forget_everything(session, bob.user_id, now=START)
        talk(session, bob.user_id, "a new boat", turn_id="since")
    await join(database, bob, ada)
    assert await found(database, ada) == ["of-ada", "since"]


async def test_a_reminder_that_waits_is_of_the_one_that_both_had(
    users: Users, database: Database
) -> None:
    ada = await users.create("Ada", Role.OWNER, LAPTOP)
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    wanted = Wanted("feed the cat", Due(START, None))
    kept = [
        await database.write(reminders.add, user.user_id, wanted, START, source=MemorySource.USER)
        for user in (ada, bob)
    ]
    with database.writing() as session:
        chat = conversations.create(
            session, user_id=bob.user_id, channel="telegram", chat="2", direct=True, now=START
        )
        outbox.add(
            session,
            conversation_id=chat.conversation_id,
            turn_id=None,
            chunks=("Reminder: feed the cat",),
            now=START,
            says=SaidReminder(kept[1].memory.memory_id, START),
        )
    await join(database, bob, ada)
    with database.reading() as session:
        assert session.scalars(select(OutboxRow.reminder_id)).all() == [kept[0].memory.memory_id]
