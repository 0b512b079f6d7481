"""Conversations: the end of a turn counts for the session that it began in."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gaia.messages import Address
from gaia.store import conversations
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.tables import ConversationRow
from gaia.testing.clock import START, FakeClock

LATER = START + timedelta(minutes=1)


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Conversation:
    ada = await Users(database, clock).create("Ada", Role.OWNER, Address("telegram", "1"))
    return await database.write(
        conversations.find_or_create,
        user_id=ada.user_id,
        channel="telegram",
        chat="chat",
        direct=True,
        now=START,
    )


async def active_at(database: Database, chat: Conversation) -> object:
    row = await database.read(lambda session: session.get(ConversationRow, chat.conversation_id))
    assert row is not None
    return row.last_message_at


async def test_a_turn_that_ends_counts_and_is_a_message(
    database: Database, chat: Conversation
) -> None:
    present = await database.write(conversations.end_turn, chat, chat.generation, LATER)
    assert present == replace(chat, session_turns=1)
    assert await active_at(database, chat) == LATER


@pytest.mark.parametrize("counts", [False, True])
async def test_one_that_is_no_part_of_the_session_does_not(
    database: Database, chat: Conversation, counts: bool
) -> None:
    """That is tried again, or whose session was left meanwhile."""
    generation = chat.generation - 1 if counts else chat.generation
    present = await database.write(conversations.end_turn, chat, generation, LATER, counts=counts)
    assert present == chat
    assert await active_at(database, chat) == START


async def test_one_of_a_user_who_was_joined_with_another_counts_for_the_other(
    database: Database, chat: Conversation
) -> None:
    before = replace(chat, user_id="u_before", generation=7)
    present = await database.write(conversations.end_turn, before, before.generation, LATER)
    assert present == replace(chat, session_turns=1)


async def test_there_is_none_of_a_user_who_was_removed(
    database: Database, chat: Conversation
) -> None:
    gone = replace(chat, conversation_id=chat.conversation_id + 1)
    assert await database.write(conversations.end_turn, gone, 1, LATER) is None
