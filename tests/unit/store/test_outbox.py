"""Files go with the last chunk of their reply, and no longer than they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from gaia.messages import Address, OutboundFile, SentCopy
from gaia.store import chunk_states, conversations, outbox
from gaia.store.engine import Database
from gaia.store.outbox import GONE, NewFile
from gaia.store.people.users import Role, User, Users
from gaia.store.tables import OutboxFileRow, OutboxRow, OutboxState
from gaia.testing.clock import START, FakeClock

FILE = NewFile("gaia.txt", "text/plain", b"the gate code \xff\x00")


@pytest.fixture
async def ada(database: Database, clock: FakeClock) -> User:
    return await Users(database, clock).create("Ada", Role.OWNER, Address("fake", "ada"))


async def reply(
    database: Database, user: User, *chunks: str, chat: str = "ada", file: NewFile | None = FILE
) -> list[int]:
    """The chunks of a reply in the outbox, by their ids."""
    with database.writing() as session:
        conversation = conversations.find_or_create(
            session, user_id=user.user_id, channel="fake", chat=chat, direct=True, now=START
        )
        conversation_id = conversation.conversation_id
        before = {each.chunk.outbox_id for each in outbox.listed(session, states=outbox.OPEN)}
        outbox.add(
            session,
            conversation_id=conversation_id,
            turn_id=None,
            chunks=chunks,
            now=START,
            file=file,
        )
        listed = outbox.listed(session, states=outbox.OPEN)
    return [each.chunk.outbox_id for each in listed if each.chunk.outbox_id not in before]


def file_of_next(session: Session) -> OutboundFile | None:
    """The file of the chunk that is to be sent next in the only conversation."""
    due = outbox.next_due(session, 1)
    assert due is not None
    return due.file


async def test_a_file_goes_with_the_last_chunk(database: Database, ada: User) -> None:
    first, last = await reply(database, ada, "one", "two")
    with database.reading() as session:
        assert file_of_next(session) is None
        assert outbox.file_content(session, first) is None
        chunk_states.begin(session, first, repeated=False, now=START)
        chunk_states.mark_taken(session, first, "m1")
        assert file_of_next(session) == OutboundFile("gaia.txt", "text/plain", len(FILE.content))
        assert outbox.file_content(session, last) == FILE.content


async def test_a_reply_without_a_file_has_none(database: Database, ada: User) -> None:
    await reply(database, ada, "one", file=None)
    assert await database.read(file_of_next) is None


async def put(database: Database, outbox_id: int, state: OutboxState, **values: object) -> None:
    with database.writing() as session:
        session.execute(
            update(OutboxRow).where(OutboxRow.outbox_id == outbox_id).values(state=state, **values)
        )


async def texts(database: Database) -> Sequence[str]:
    with database.reading() as session:
        rows = session.scalars(select(OutboxRow.text).order_by(OutboxRow.outbox_id))
        return rows.all()


async def files(database: Database) -> Sequence[int]:
    with database.reading() as session:
        return session.scalars(select(OutboxFileRow.outbox_id)).all()


async def test_the_files_of_one_user_go_and_their_chunks_say_so(
    database: Database, ada: User, clock: FakeClock
) -> None:
    bob = await Users(database, clock).create("Bob", Role.MEMBER, Address("fake", "bob"))
    await reply(database, ada, "one", "two")
    await reply(database, ada, "elsewhere", chat="other")
    (of_bob,) = await reply(database, bob, "mine", chat="bob")
    with database.writing() as session:
        assert outbox.drop_files_of(session, ada.user_id) == 2
        assert outbox.drop_files_of(session, ada.user_id) == 0
    assert await texts(database) == ["one", GONE, GONE, "mine"]
    assert await files(database) == [of_bob]


@pytest.mark.parametrize("state", OutboxState)
async def test_a_chunk_that_arrived_keeps_its_words_when_its_file_goes(
    database: Database, ada: User, state: OutboxState
) -> None:
    (only,) = await reply(database, ada, "Here it is.")
    await put(database, only, state)
    await database.write(outbox.drop_files_of, ada.user_id)
    has_arrived = state in (OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ)
    assert await texts(database) == ["Here it is." if has_arrived else GONE]


@pytest.mark.parametrize("state", OutboxState)
async def test_files_stay_until_their_chunks_have_left_for_long_enough(
    database: Database, ada: User, state: OutboxState
) -> None:
    """A file that was asked for long ago may have been sent just now."""
    old, new, given_up = [
        (await reply(database, ada, "Here it is.", chat=chat))[0] for chat in ("a", "b", "c")
    ]
    await put(database, old, state, sent_at=START + timedelta(hours=1))
    await put(database, new, state, sent_at=START + timedelta(hours=3))
    await put(database, given_up, state, sent_at=None)
    dropped = await database.write(outbox.drop_left_files, START + timedelta(hours=2))
    waits = state in (OutboxState.PENDING, OutboxState.SENDING, OutboxState.UNKNOWN)
    assert dropped == (0 if waits else 2)
    assert await files(database) == ([old, new, given_up] if waits else [new])


async def test_what_is_on_its_way_is_what_was_sent_and_has_neither_arrived_nor_failed(
    database: Database, ada: User
) -> None:
    names = ("early", "queued", "sent", "delivered", "failed", "waits")
    early, queued, sent, delivered, failed, _ = await reply(database, ada, *names, file=None)
    minute = timedelta(minutes=1)
    with database.writing() as session:
        for number, outbox_id in enumerate((early, queued, sent, delivered, failed)):
            chunk_states.begin(session, outbox_id, repeated=False, now=START + number * minute)
            chunk_states.mark_taken(session, outbox_id, f"m{outbox_id}", state=OutboxState.QUEUED)
        for outbox_id, state in ((sent, OutboxState.SENT), (delivered, OutboxState.DELIVERED)):
            chunk_states.mark_reported(
                session, outbox_id, f"m{outbox_id}", state, next_not_before=None
            )
        chunk_states.mark_refused(session, failed, error="", now=START, not_before=START)
    since, until = START + minute, START + 5 * minute
    with database.reading() as session:
        assert chunk_states.on_their_way(session, "fake", since, until) == [
            SentCopy(sent, f"m{sent}"),
            SentCopy(queued, f"m{queued}"),
        ]
        assert chunk_states.on_their_way(session, "fake", START, START) == [
            SentCopy(early, f"m{early}")
        ]
        assert chunk_states.on_their_way(session, "other", since, until) == []
