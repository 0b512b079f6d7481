"""Digests: when a session is sealed, what is left to do, and each step of it."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from gaia.messages import Address, Inbound
from gaia.store import conversations, digests, inbox, sessions, stops
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestReason, DigestState
from gaia.store.digests import Digest, ReadWindow
from gaia.store.engine import Database
from gaia.store.people.identities import Role
from gaia.store.people.users import User, Users
from gaia.store.sessions import SessionKey
from gaia.store.tables import InboxRow, InboxState
from gaia.testing.clock import START, FakeClock
from tests.harness.digests import uncleared

PHONE = Address("telegram", "1")
HALF_AN_HOUR = timedelta(minutes=30)


@pytest.fixture
async def ada(database: Database, clock: FakeClock) -> User:
    return await Users(database, clock).create("Ada", Role.OWNER, PHONE)


@pytest.fixture
async def chat(database: Database, ada: User) -> Conversation:
    return await write(database, ada, "hello", state=InboxState.DONE)


async def write(
    database: Database, user: User, text: str, *, state: InboxState = InboxState.QUEUED
) -> Conversation:
    """A message; one that is done counts as a turn."""
    inbound = Inbound(PHONE, "chat", f"{text}-{state}", text, START)
    with database.writing() as session:
        chat = conversations.find_or_create(
            session, user_id=user.user_id, channel="telegram", chat="chat", direct=True, now=START
        )
        begun = None if state is InboxState.QUEUED else text
        inbox.record(
            session, inbound, chat, is_command=False, now=START, state=state, turn_id=begun
        )
        if state is InboxState.DONE:
            conversations.end_turn(session, chat, chat.generation, START)
    present = await database.read(conversations.get, chat.conversation_id)
    assert present is not None
    return present


async def seal(database: Database, chat: Conversation, *, before: int = 0) -> int | None:
    key = SessionKey(chat.user_id, chat.channel, chat.first_chat, chat.generation)
    return await database.write(
        digests.seal, chat, key.session_id, DigestReason.IDLE, START, before=before
    )


async def sealed(database: Database, chat: Conversation) -> Digest:
    digest_id = await seal(database, chat)
    assert digest_id is not None
    return await get(database, digest_id)


async def get(database: Database, digest_id: int) -> Digest:
    digest = await database.read(digests.get, digest_id)
    assert digest is not None
    return digest


async def generations(database: Database) -> dict[str, int]:
    with database.reading() as session:
        rows = session.scalars(select(InboxRow))
        return {row.text: row.generation for row in rows}


async def test_a_sealed_session_is_left_for_the_next(
    database: Database, ada: User, chat: Conversation
) -> None:
    digest = await sealed(database, chat)
    assert digest.state is DigestState.SEALED
    assert (digest.user_id, digest.generation) == (ada.user_id, 1)
    present = await database.read(conversations.get, chat.conversation_id)
    assert present is not None
    assert (present.generation, present.session_turns) == (2, 0)


async def test_a_session_is_sealed_once(database: Database, chat: Conversation) -> None:
    assert await seal(database, chat) is not None
    assert await seal(database, chat) is None


async def test_a_session_without_a_word_is_not_sealed(database: Database, ada: User) -> None:
    chat = await write(database, ada, "waits")
    assert await seal(database, chat) is None
    assert (await database.read(conversations.get, chat.conversation_id)) == chat


async def test_what_waits_goes_to_the_session_that_it_was_written_in(
    database: Database, ada: User
) -> None:
    await write(database, ada, "begun", state=InboxState.RUNNING)
    await write(database, ada, "before")
    chat = await write(database, ada, "after")
    digest_id = await seal(database, chat, before=3)
    assert digest_id is not None
    assert await generations(database) == {"begun": 1, "before": 1, "after": 2}
    with database.reading() as session:
        assert digests.waits_for_turns(session, await get(database, digest_id))
    with database.writing() as session:
        inbox.finish(session, "begun", InboxState.DONE, START)
        stops.drop_waiting(session, chat, before=3, now=START)
        assert not digests.waits_for_turns(session, await get(database, digest_id))


async def test_failures_are_counted_until_a_window_was_read(
    database: Database, chat: Conversation
) -> None:
    number = (await sealed(database, chat)).digest_id
    with database.writing() as session:
        for _ in range(2):
            digests.try_later(session, number, error="no answer", not_before=START)
    assert (await get(database, number)).attempts == 2
    await database.write(digests.succeeded, number)
    digest = await get(database, number)
    assert (digest.attempts, digest.error, digest.not_before) == (0, None, None)


async def test_a_failed_digest_is_told_and_tried_again_on_request(
    database: Database, ada: User, chat: Conversation
) -> None:
    number = (await sealed(database, chat)).digest_id
    with database.writing() as session:
        digests.failed(session, number, error="no answer")
        assert digests.under_way_of(session, ada.user_id) == []
        counts = digests.counts(session)
        assert (counts.waiting, counts.failed, counts.error) == (0, 1, "no answer")
        assert counts.failed_since == START
        assert digests.retry(session, "somebody else") == []
        assert [each.digest_id for each in digests.retry(session)] == [number]
        (digest,) = digests.under_way_of(session, ada.user_id)
        assert (digest.state, digest.attempts) == (DigestState.SEALED, 0)
        assert digests.users_under_way(session) == [ada.user_id]


async def test_what_was_read_goes_with_the_session(database: Database, chat: Conversation) -> None:
    digest = await sealed(database, chat)
    window = ReadWindow(1, 7, {"summary": "hello"})
    with database.writing() as session:
        digests.add_window(session, digest.digest_id, digest.user_id, window, START)
        digests.extracted(session, digest.digest_id)
        digests.committed(session, digest.digest_id, learned=2, changed=1, now=START)
        assert digests.windows_of(session, digest.digest_id) == [window]
        digests.cleared(session, digest.digest_id)
        assert digests.windows_of(session, digest.digest_id) == []
        assert uncleared(session) == []
    assert (await get(database, digest.digest_id)).state is DigestState.CLEARED


async def test_a_conversation_idles_from_its_last_message(
    database: Database, chat: Conversation
) -> None:
    with database.writing() as session:
        just_before = START - timedelta(seconds=1)
        assert sessions.idle_since(session, just_before) == []
        assert sessions.idle_since(session, START) == [chat]
        assert sessions.is_idle(session, chat.conversation_id, START)


@pytest.mark.parametrize("state", [InboxState.QUEUED, InboxState.RUNNING, InboxState.STOPPING])
async def test_a_conversation_in_which_something_waits_does_not_idle(
    database: Database, ada: User, chat: Conversation, state: InboxState
) -> None:
    await write(database, ada, "next", state=state)
    assert await database.read(sessions.idle_since, START + HALF_AN_HOUR) == []


async def test_a_message_from_a_time_yet_to_come_idles_from_now(
    database: Database, chat: Conversation
) -> None:
    yesterday = START - timedelta(days=1)
    with database.writing() as session:
        assert sessions.bring_idle_times_back_to(session, yesterday) == 1
        assert sessions.bring_idle_times_back_to(session, yesterday) == 0
        assert sessions.idle_since(session, yesterday) == [chat]
