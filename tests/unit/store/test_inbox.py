"""The inbox: what waits, and edits: a message that waits changes, an answered one is corrected."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.messages import CORRECTION, Address, Inbound, ReceiptKind
from gaia.store import batches, chunk_states, conversations, edits, inbox, outbox, stops
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.outbox import Cause
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock
from tests.harness.effort import rounds


def said(text: str, message_id: str = "m1", edit_of: str | None = None) -> Inbound:
    return Inbound(Address("fake", "ada"), "ada", message_id, text, START, edit_of=edit_of)


class Chat:
    """One chat, as the dispatcher keeps it."""

    def __init__(self, database: Database, conversation: Conversation) -> None:
        self._database = database
        self._conversation = conversation

    async def receive(self, inbound: Inbound) -> Inbound | ReceiptKind:
        """Record a message unless all is done with it; returns what was decided."""
        is_command = inbound.text.startswith("/")
        with self._database.writing() as session:
            decided = edits.settle(
                session, inbound, self._conversation.conversation_id, is_command=is_command
            )
            if isinstance(decided, Inbound) and not inbox.record(
                session, decided, self._conversation, is_command=is_command, now=START
            ):
                return ReceiptKind.DUPLICATE
        return decided

    async def begin(self) -> tuple[str, ...]:
        """Begin the next turn; returns the texts of its messages."""
        with self._database.writing() as session:
            batch = batches.take(
                session,
                self._conversation.conversation_id,
                turn_id="t1",
                settle=batches.ALBUM_SETTLE,
                now=START + timedelta(hours=1),
            )
            return tuple(each.text for each in batch.messages) if isinstance(batch, Batch) else ()


@pytest.fixture
def chat(database: Database, conversation: Conversation) -> Chat:
    return Chat(database, conversation)


@pytest.fixture
async def conversation(database: Database, clock: FakeClock) -> Conversation:
    user = await Users(database, clock).create("ada", Role.MEMBER, Address("fake", "ada"))
    return await database.write(
        conversations.find_or_create,
        user_id=user.user_id,
        channel="fake",
        chat="ada",
        direct=True,
        now=START,
    )


async def test_a_message_that_waits_gets_the_new_text(chat: Chat) -> None:
    await chat.receive(said("helo"))
    assert await chat.receive(said("hello", "e1", "m1")) is ReceiptKind.ACCEPTED
    assert await chat.receive(said("hello!", "e2", "m1")) is ReceiptKind.ACCEPTED
    assert await chat.begin() == ("hello!",)


async def test_an_older_edit_that_comes_again_changes_nothing(chat: Chat) -> None:
    await chat.receive(said("one"))
    for _ in range(2):
        await chat.receive(said("two", "e1", "m1"))
        await chat.receive(said("three", "e2", "m1"))
    assert await chat.receive(said("two", "e1", "m1")) is ReceiptKind.DUPLICATE
    assert await chat.begin() == ("three",)
    assert await chat.receive(said("two", "e1", "m1")) is ReceiptKind.DUPLICATE


async def test_a_message_that_was_begun_is_corrected_by_another(chat: Chat) -> None:
    await chat.receive(said("at five"))
    await chat.begin()
    edit = said("at six", "e1", "m1")
    assert await chat.receive(edit) == replace(edit, notes=(CORRECTION,))
    assert await chat.receive(edit) is ReceiptKind.DUPLICATE


async def test_a_message_that_waits_for_another_try_is_corrected_by_another(
    chat: Chat, database: Database
) -> None:
    await chat.receive(said("at five"))
    await chat.begin()
    await database.write(inbox.retry_later, "t1", START)
    edit = said("at six", "e1", "m1")
    assert await chat.receive(edit) == replace(edit, notes=(CORRECTION,))


async def test_a_turn_runs_from_its_beginning_until_its_end_or_another_try(
    chat: Chat, conversation: Conversation, database: Database
) -> None:
    async def running() -> str | None:
        return await database.read(stops.running_turn, conversation.conversation_id)

    await chat.receive(said("hello"))
    assert await running() is None
    await chat.begin()
    assert await running() == "t1"
    await database.write(stops.mark_running, conversation.conversation_id)
    assert await running() == "t1"
    await database.write(inbox.retry_later, "t1", START)
    assert await running() is None


async def test_a_correction_that_waits_gets_the_newest_text(chat: Chat) -> None:
    await chat.receive(said("at five"))
    await chat.begin()
    await chat.receive(said("at six", "e1", "m1"))
    assert await chat.receive(said("at six", "e2", "m1")) is ReceiptKind.DUPLICATE
    assert await chat.receive(said("at seven", "e3", "m1")) is ReceiptKind.ACCEPTED
    assert await chat.receive(said("at seven", "e4", "m1")) is ReceiptKind.DUPLICATE


@pytest.mark.parametrize("begun", [False, True])
async def test_an_edit_without_another_text_is_a_duplicate(chat: Chat, begun: bool) -> None:
    await chat.receive(said("hello"))
    if begun:
        await chat.begin()
    assert await chat.receive(said("hello", "e1", "m1")) is ReceiptKind.DUPLICATE


async def test_the_edit_of_an_unknown_message_is_a_message_like_any_other(chat: Chat) -> None:
    edit = said("hello", "e1", "never-seen")
    assert await chat.receive(edit) == edit
    assert await chat.begin() == ("hello",)


@pytest.mark.parametrize(("before", "after"), [("/help", "hello"), ("hello", "/help")])
async def test_commands_are_not_changed_into_messages_nor_back(
    chat: Chat, before: str, after: str
) -> None:
    await chat.receive(said(before))
    edit = said(after, "e1", "m1")
    assert await chat.receive(edit) == replace(edit, notes=(CORRECTION,))


async def test_nobody_edits_what_stands_in_another_conversation(
    database: Database, clock: FakeClock, chat: Chat
) -> None:
    await chat.receive(said("mine"))
    user = await Users(database, clock).create("eve", Role.MEMBER, Address("fake", "eve"))
    other = await database.write(
        conversations.find_or_create,
        user_id=user.user_id,
        channel="fake",
        chat="eve",
        direct=True,
        now=START,
    )
    edit = said("yours", "e1", "m1")
    assert await Chat(database, other).receive(edit) == edit
    assert await chat.begin() == ("mine",)


@settings(
    max_examples=rounds(15, thorough=40), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.lists(st.sampled_from(["one", "two", "/three", None]), max_size=8))
async def test_no_redelivery_of_whatever_was_edited_makes_a_message(
    chat: Chat, steps: list[str | None]
) -> None:
    """A step is an edit to that text, or the beginning of a turn."""
    original = said("one", secrets.token_hex(4))
    await chat.receive(original)
    delivered = [original]
    for step in steps:
        if step is None:
            await chat.begin()
            continue
        edit = said(step, secrets.token_hex(4), original.provider_message_id)
        delivered.append(edit)
        await chat.receive(edit)
        assert await chat.receive(edit) is ReceiptKind.DUPLICATE
    assert [await chat.receive(again) for again in delivered] == [
        ReceiptKind.DUPLICATE for _ in delivered
    ]


@pytest.fixture
async def twelve(database: Database, clock: FakeClock) -> None:
    """A reply of twelve chunks, the ids of which are 1 to 12."""
    ada = await Users(database, clock).create("Ada", Role.OWNER, Address("fake", "ada"))
    with database.writing() as session:
        conversation = conversations.find_or_create(
            session, user_id=ada.user_id, channel="fake", chat="ada", direct=True, now=START
        )
        outbox.add(
            session,
            conversation_id=conversation.conversation_id,
            turn_id="t1",
            chunks=[f"chunk {number}" for number in range(1, 13)],
            now=START,
        )


async def test_the_most_frequent_causes_come_first_and_are_three(
    database: Database, twelve: None
) -> None:
    errors = {1: "flood", 2: "closed", 3: "closed", 4: "down", 5: "down", 6: "down", 7: "late"}
    with database.writing() as session:
        for outbox_id, error in errors.items():
            chunk_states.mark_waiting(session, outbox_id, error=error)
    backlog = await database.read(outbox.backlog)
    assert backlog.open == 12
    assert backlog.causes == (Cause(3, "down"), Cause(2, "closed"), Cause(1, "flood"))


async def test_what_has_left_or_was_given_up_waits_for_nothing(
    database: Database, twelve: None
) -> None:
    with database.writing() as session:
        chunk_states.mark_waiting(session, 1, error="flood")
        chunk_states.mark_taken(session, 1, "m1")
        chunk_states.mark_unknown(session, 2, error="timeout", not_before=None)
        third = outbox.get(session, 3)
        assert third is not None
        chunk_states.end_reply(session, third, error="blocked")
    backlog = await database.read(outbox.backlog)
    assert (backlog.open, backlog.dead, backlog.causes) == (1, 10, ())
