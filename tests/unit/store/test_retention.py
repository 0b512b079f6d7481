"""Messages that have been done with go once they are old, and what is needed stays."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import select, update

from gaia.messages import Address, Inbound
from gaia.store import conversations, forgets, inbox, outbox, retention, usage
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.outbox import NewFile
from gaia.store.people.users import Role, User, Users
from gaia.store.tables import InboxRow, InboxState, OutboxFileRow, OutboxRow, OutboxState, UsageRow
from gaia.store.usage import Usage
from gaia.testing.clock import START, FakeClock

DAY = timedelta(days=1)
OLD, LIMIT = START, START + DAY
RECENT = START + 2 * DAY


@pytest.fixture
async def ada(database: Database, clock: FakeClock) -> User:
    return await Users(database, clock).create("Ada", Role.OWNER, Address("fake", "ada"))


@pytest.fixture
async def chat(database: Database, ada: User) -> Conversation:
    return await database.write(
        conversations.find_or_create,
        user_id=ada.user_id,
        channel="fake",
        chat="ada",
        direct=True,
        now=START,
    )


async def received(
    database: Database,
    chat: Conversation,
    number: str,
    state: InboxState,
    at=OLD,
    turn=None,
    author=None,
) -> None:
    message = Inbound(
        address=Address("fake", "ada"),
        chat="ada",
        direct=True,
        provider_message_id=number,
        text="hello",
        sent_at=at,
        author=author,
    )
    await database.write(
        inbox.record, message, chat, is_command=False, now=at, state=state, turn_id=turn
    )


async def answered(
    database: Database, chat: Conversation, state: OutboxState, *, written=OLD, sent=None, turn=None
) -> None:
    with database.writing() as session:
        outbox.add(
            session,
            conversation_id=chat.conversation_id,
            turn_id=turn,
            chunks=["hi"],
            now=written,
            file=NewFile("a.txt", "text/plain", b"a"),
        )
        newest = select(OutboxRow.outbox_id).order_by(OutboxRow.outbox_id.desc()).limit(1)
        session.execute(
            update(OutboxRow)
            .where(OutboxRow.outbox_id == newest.scalar_subquery())
            .values(state=state, sent_at=sent)
        )


async def messages(database: Database) -> list[str]:
    with database.reading() as session:
        return list(
            session.scalars(select(InboxRow.provider_message_id).order_by(InboxRow.inbox_id))
        )


async def drop_messages(database: Database, most: int = 99) -> int:
    return await database.write(retention.drop_messages, LIMIT, most)


async def drop_replies(database: Database, most: int = 99) -> int:
    return await database.write(retention.drop_replies, LIMIT, most)


async def test_old_messages_go_whatever_their_end_and_those_that_wait_stay(database, chat):
    for state in InboxState:
        await received(database, chat, state, state)
    await received(database, chat, "new", InboxState.DONE, at=RECENT)
    await received(database, chat, "beside gaia", InboxState.OVERHEARD, at=RECENT)
    assert await drop_messages(database) == 6
    assert await messages(database) == ["queued", "running", "stopping", "new"]


async def test_who_is_called_what_in_a_group_stays_and_no_word_of_theirs(database, chat):
    for number, author in enumerate(["1", "1", "2"]):
        await received(database, chat, f"m{number}", InboxState.DONE, author=author)
    await received(database, chat, "beside gaia", InboxState.OVERHEARD, author="3")
    assert await drop_messages(database) == 2
    with database.reading() as session:
        left = session.execute(select(InboxRow.author, InboxRow.sender_name, InboxRow.text))
        assert sorted(map(tuple, left)) == [("1", "Somebody", ""), ("2", "Somebody (2)", "")]


async def test_old_replies_go_with_their_files_and_those_that_may_be_sent_stay(database, chat):
    for state in OutboxState:
        await answered(database, chat, state)
    await answered(database, chat, OutboxState.SENT, sent=RECENT)
    await answered(database, chat, OutboxState.DEAD, written=RECENT)
    assert await drop_replies(database) == 5
    with database.reading() as session:
        states = session.scalars(select(OutboxRow.state).order_by(OutboxRow.outbox_id))
        left = [OutboxState(state) for state in states]
        files = session.scalars(select(OutboxFileRow.outbox_id))
        assert len(files.all()) == len(left)
    assert left == [*outbox.OPEN, OutboxState.SENT, OutboxState.DEAD]


async def test_a_message_stays_as_long_as_its_reply(database, chat):
    await received(database, chat, "m1", InboxState.DONE, turn="t1")
    await answered(database, chat, OutboxState.DEAD, written=RECENT, turn="t1")
    assert await drop_messages(database) == 0
    with database.writing() as session:
        session.execute(update(OutboxRow).values(created_at=OLD))
    assert await drop_replies(database) == 1
    assert await drop_messages(database) == 1


async def test_nothing_goes_of_a_user_who_has_something_forgotten(database, chat, ada):
    await received(database, chat, "m1", InboxState.DONE)
    await database.write(
        forgets.begin, ada.user_id, everything=True, phrases=(), turn_ids=(), inbox_id=0, now=START
    )
    assert await drop_messages(database) == 0


async def test_a_bounded_number_goes_at_once_the_oldest_first(database, chat):
    for number in range(5):
        await received(database, chat, f"m{number}", InboxState.DONE)
    assert await drop_messages(database, most=2) == 2
    assert await messages(database) == ["m2", "m3", "m4"]
    assert [await drop_messages(database, most=2) for _ in range(3)] == [2, 1, 0]


async def test_ids_are_not_given_to_others_afterwards(database, chat):
    await received(database, chat, "m1", InboxState.DONE)
    await drop_messages(database)
    await received(database, chat, "m2", InboxState.DONE)
    with database.reading() as session:
        assert session.scalar(select(InboxRow.inbox_id)) == 2


async def test_counts_of_tokens_go_by_their_day(database, ada):
    used = Usage(model="m", purpose="turn", calls=1, tokens_in=1, tokens_out=1)
    with database.writing() as session:
        for day in (date(2025, 12, 31), date(2026, 1, 1)):
            usage.add(session, ada.user_id, day, used)
            session.add(
                BudgetNoticeRow(
                    user_id=ada.user_id, day=day.isoformat(), budget="user", stage="near"
                )
            )
    with database.writing() as session:
        assert retention.drop_counts(session, date(2026, 1, 1)) == 2
        assert session.scalars(select(UsageRow.day)).all() == ["2026-01-01"]
        assert session.scalars(select(BudgetNoticeRow.day)).all() == ["2026-01-01"]
