"""Which files of earlier turns are still at hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import event

from gaia.messages import Address, Attachment, AttachmentKind, Inbound
from gaia.store import batches, conversations, inbox
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.tables import InboxState
from gaia.testing.clock import START, FakeClock


def photo(name: str) -> Attachment:
    return Attachment(AttachmentKind.PHOTO, name, "image/jpeg", 9, "a.jpg", None)


class Chat:
    """A chat whose turns end at once."""

    def __init__(self, database: Database, conversation: Conversation) -> None:
        self._database = database
        self._conversation = conversation
        self._turns = 0

    async def turn(
        self, *names: str, state: InboxState = InboxState.DONE, is_command: bool = False
    ) -> None:
        """A turn of one message for each of the files named, or of one without any."""
        self._turns += 1
        with self._database.writing() as session:
            for number, name in enumerate(names or [""]):
                inbox.record(
                    session,
                    Inbound(
                        Address("fake", "ada"),
                        "ada",
                        f"{self._turns}-{number}",
                        "",
                        START,
                        attachments=(photo(name),) if name else (),
                    ),
                    self._conversation,
                    is_command=is_command,
                    now=START,
                    state=state,
                    turn_id=f"turn-{self._turns}",
                )

    async def reset(self) -> None:
        with self._database.writing() as session:
            conversation_id = self._conversation.conversation_id
            conversations.start_next_session(session, conversation_id)
            conversation = conversations.get(session, conversation_id)
            assert conversation is not None
            self._conversation = conversation

    async def at_hand(self, turns: int = 3) -> Sequence[str]:
        """The files that the next turn finds, by name."""
        self._turns += 1
        with self._database.writing() as session:
            inbox.record(
                session,
                Inbound(Address("fake", "ada"), "ada", f"{self._turns}", "", START),
                self._conversation,
                is_command=False,
                now=START,
            )
            batch = batches.take(
                session,
                self._conversation.conversation_id,
                turn_id=f"turn-{self._turns}",
                settle=batches.ALBUM_SETTLE,
                now=START + timedelta(hours=1),
            )
            assert isinstance(batch, batches.Batch)
            found = batches.earlier_attachments(session, batch, turns=turns)
        assert all(each == photo(each.file_id) for each in found)
        return [each.file_id for each in found]


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Chat:
    user = await Users(database, clock).create("ada", Role.MEMBER, Address("fake", "ada"))
    conversation = await database.write(
        conversations.find_or_create,
        user_id=user.user_id,
        channel="fake",
        chat="ada",
        direct=True,
        now=START,
    )
    return Chat(database, conversation)


async def test_the_files_of_the_last_turns_are_found_the_oldest_first(chat: Chat) -> None:
    await chat.turn("too old")
    await chat.turn("one", "two")
    await chat.turn()
    await chat.turn("three", "four")
    assert await chat.at_hand() == ["one", "two", "three", "four"]


async def test_turns_that_left_nothing_in_the_session_do_not_count(chat: Chat) -> None:
    await chat.turn("one")
    await chat.turn("stopped", state=InboxState.STOPPED)
    for number in range(4):
        await chat.turn(f"dead {number}", state=InboxState.DEAD)
        await chat.turn(f"command {number}", is_command=True)
    assert await chat.at_hand() == ["one", "stopped"]


async def test_the_files_of_the_session_before_are_not_found(chat: Chat) -> None:
    await chat.turn("before")
    await chat.reset()
    await chat.turn("after")
    assert await chat.at_hand() == ["after"]


async def test_turns_of_many_messages_are_found_whole(chat: Chat) -> None:
    for turn in range(3):
        await chat.turn(*(f"{turn}-{number}" for number in range(batches.BURST_MESSAGES)))
    assert len(await chat.at_hand()) == 3 * batches.BURST_MESSAGES


@pytest.mark.sqlite
async def test_an_old_conversation_costs_no_more_than_a_new_one(
    chat: Chat, database: Database
) -> None:
    asked: list[tuple[str, tuple[object, ...]]] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def keep(connection, cursor, statement, parameters, context, many) -> None:
        if statement.startswith("SELECT inbox.turn_id, inbox.attachments"):
            asked.append((statement, parameters))

    await chat.at_hand()
    ((statement, parameters),) = asked
    with database.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        steps = [row[-1] for row in plan]
    # Neither a scan nor a sort: the index has the rows in the order that is asked for.
    assert steps == [
        "SEARCH inbox USING INDEX ix_inbox_conversation_id_received_at (conversation_id=?)"
    ]
