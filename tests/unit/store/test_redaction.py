"""Which rows of the queues go, which stay, and which are waited for, and how long."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.messages import Address, Attachment, AttachmentKind, Inbound
from gaia.store import conversations, inbox, outbox, redaction
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.store.redaction import ABANDONED, GRACE, PATIENCE, REPLACEMENT, Redaction
from gaia.store.tables import InboxRow, InboxState, OutboxRow, OutboxState
from gaia.testing.clock import START, FakeClock

SECRET = "blue pot"
SECOND = timedelta(seconds=1)


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Conversation:
    user = await Users(database, clock).create("ada", Role.OWNER)
    return await database.write(
        conversations.find_or_create,
        user_id=user.user_id,
        channel="fake",
        chat="ada",
        direct=True,
        now=START,
    )


@pytest.fixture
def what(chat: Conversation) -> Redaction:
    return Redaction(
        chat.user_id, lambda text: SECRET in text, frozenset(), False, inbox_id=9, since=START
    )


async def receive(
    database: Database,
    chat: Conversation,
    text: str,
    *,
    state: InboxState = InboxState.DONE,
    turn_id: str | None = None,
    **changes: object,
) -> None:
    said = Inbound(Address("fake", "ada"), "ada", f"{text} {turn_id}", text, START)
    await database.write(
        inbox.record,
        replace(said, **changes),
        chat,
        is_command=text.startswith("/"),
        now=START,
        state=state,
        turn_id=turn_id,
    )


async def tell(
    database: Database,
    chat: Conversation,
    text: str,
    *,
    state: OutboxState = OutboxState.SENT,
    turn_id: str | None = None,
    at: datetime = START,
) -> None:
    with database.writing() as session:
        outbox.add(
            session,
            conversation_id=chat.conversation_id,
            turn_id=turn_id,
            chunks=[text],
            now=at,
        )
        session.execute(update(OutboxRow).where(OutboxRow.text == text).values(state=state))


async def keep(
    database: Database, user_id: str, fact: str, quote: str, *, turn_id: str | None = None
) -> int:
    said = Statement(fact, MemorySource.TOOL, quote=quote, turn_id=turn_id)
    return (await database.write(ledger.add, user_id, said, START)).memory.memory_id


async def quotes(database: Database, user_id: str) -> list[str | None]:
    return [memory.quote for memory in await database.read(ledger.every, user_id, limit=10)]


async def received(database: Database) -> list[str]:
    with database.reading() as session:
        rows = session.scalars(select(InboxRow.text).order_by(InboxRow.inbox_id))
        return list(rows)


async def told(database: Database) -> list[str]:
    with database.reading() as session:
        rows = session.scalars(select(OutboxRow.text).order_by(OutboxRow.outbox_id))
        return list(rows)


async def test_words_notes_and_names_of_files_say_it(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    photo = Attachment(AttachmentKind.PHOTO, "1", "image/png", file_name=f"{SECRET}.png")
    await receive(database, chat, f"the {SECRET}")
    await receive(database, chat, "look", notes=(f"forwarded: {SECRET}",))
    await receive(database, chat, "see", attachments=(photo,))
    await receive(database, chat, "the blue", notes=("pot",))
    await receive(database, chat, "hello", attachments=(replace(photo, file_name="x"),))
    await receive(database, chat, "/Forget the pot")
    assert await redaction.redact_inbox(database, what, START)
    assert await received(database) == [*[REPLACEMENT] * 3, "the blue", "hello", REPLACEMENT]
    with database.reading() as session:
        rows = session.scalars(select(InboxRow).order_by(InboxRow.inbox_id)).all()
    assert [len(row.notes) for row in rows] == [0, 0, 0, 1, 0, 0]
    assert [len(row.attachments) for row in rows] == [0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("state", [InboxState.QUEUED, InboxState.RUNNING, InboxState.STOPPING])
async def test_a_message_without_an_end_is_waited_for(
    state: InboxState, database: Database, chat: Conversation, what: Redaction
) -> None:
    await receive(database, chat, SECRET, state=state)
    assert not await redaction.redact_inbox(database, what, START + PATIENCE)
    assert await received(database) == [SECRET]
    late = START + PATIENCE + SECOND
    nobody_takes_it = state is InboxState.QUEUED
    assert await redaction.redact_inbox(database, what, late) is nobody_takes_it
    assert await received(database) == [REPLACEMENT if nobody_takes_it else SECRET]


async def test_an_unrelated_message_without_an_end_is_waited_for_as_well(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    await receive(database, chat, "what did I tell you?", state=InboxState.RUNNING)
    assert not await redaction.redact_inbox(database, what, START)


async def test_what_came_after_is_left_alone(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    for turn_id in ("before", "after"):
        await receive(database, chat, SECRET, turn_id=turn_id)
        await tell(database, chat, f"so, {SECRET}", turn_id=turn_id)
    what = replace(what, inbox_id=1)
    assert await redaction.redact_inbox(database, what, START)
    spared = await database.read(redaction.spared_turns, what, START)
    assert spared == {"after"}
    assert await redaction.redact_outbox(database, what, spared, START)
    assert await received(database) == [REPLACEMENT, SECRET]
    assert await told(database) == [REPLACEMENT, f"so, {SECRET}"]


async def test_a_source_turn_goes_whatever_it_says(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    await receive(database, chat, "keep this", turn_id="source")
    await tell(database, chat, "kept", turn_id="source")
    what = replace(what, sources=frozenset({"source"}))
    assert await redaction.redact_inbox(database, what, START)
    assert await redaction.redact_outbox(database, what, frozenset(), START)
    assert await received(database) == await told(database) == [REPLACEMENT]


@pytest.mark.parametrize("state", list(OutboxState))
async def test_a_chunk_of_before_goes_unless_it_is_being_sent(
    state: OutboxState, database: Database, chat: Conversation, what: Redaction
) -> None:
    await tell(database, chat, SECRET, state=state)
    is_sending = state is OutboxState.SENDING
    assert await redaction.redact_outbox(database, what, frozenset(), START) is not is_sending
    assert await told(database) == [SECRET if is_sending else REPLACEMENT]


@pytest.mark.parametrize("state", [InboxState.RUNNING, InboxState.STOPPING])
async def test_what_was_interrupted_on_a_channel_that_is_off_is_not_waited_for_without_end(
    state: InboxState, database: Database, chat: Conversation, what: Redaction
) -> None:
    await receive(database, chat, SECRET, state=state, turn_id="turn")
    await tell(database, chat, f"so, {SECRET}", state=OutboxState.SENDING)
    abandoned = START + ABANDONED + SECOND
    for now, spared in ((START + ABANDONED, {"turn"}), (abandoned, set())):
        assert await database.read(redaction.spared_turns, what, now) == spared
        is_over = now is abandoned
        assert await redaction.redact_inbox(database, what, now) is is_over
        assert await redaction.redact_outbox(database, what, frozenset(), now) is is_over
    assert await received(database) == await told(database) == [REPLACEMENT]


async def test_an_answer_of_a_turn_that_ran_has_a_moment_to_be_sent(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    at = START + SECOND
    await tell(database, chat, SECRET, state=OutboxState.PENDING, at=at)
    assert not await redaction.redact_outbox(database, what, frozenset(), at + GRACE - SECOND)
    assert await told(database) == [SECRET]
    assert await redaction.redact_outbox(database, what, frozenset(), at + GRACE)
    assert await told(database) == [REPLACEMENT]


async def test_of_everything_the_answer_that_says_so_arrives(
    database: Database, chat: Conversation, what: Redaction
) -> None:
    await receive(database, chat, "/forget yes", turn_id="yes")
    await receive(database, chat, "how are you?", turn_id="how")
    await tell(database, chat, "fine", turn_id="how", state=OutboxState.PENDING)
    await tell(database, chat, "Forgotten.", turn_id="yes", state=OutboxState.PENDING)
    await tell(database, chat, "Good morning")
    what = replace(what, everything=True)
    assert await redaction.redact_inbox(database, what, START)
    assert await redaction.redact_outbox(database, what, frozenset(), START)
    assert await received(database) == [REPLACEMENT, REPLACEMENT]
    assert await told(database) == [REPLACEMENT, "Forgotten.", REPLACEMENT]


async def test_what_a_memory_that_stays_quotes_goes_where_it_says_it(
    database: Database, clock: FakeClock, chat: Conversation, what: Redaction
) -> None:
    bob = await Users(database, clock).create("bob", Role.MEMBER)
    both = f"I have a dog, and the key is in the {SECRET}"
    await keep(database, chat.user_id, "Has a dog", both, turn_id="1")
    await keep(database, chat.user_id, "Has a cat", "and a cat", turn_id="2")
    await keep(database, chat.user_id, "Has a cow", "and a cow", turn_id="source")
    await keep(database, chat.user_id, "Has a hen", f"{both}, I say", turn_id="after")
    await keep(database, bob.user_id, "Has a dog", both, turn_id="1")
    what = replace(what, sources=frozenset({"source"}))
    await redaction.redact_quotes(database, what, frozenset({"after"}))
    assert await quotes(database, chat.user_id) == [None, "and a cat", None, f"{both}, I say"]
    assert await quotes(database, bob.user_id) == [both]
