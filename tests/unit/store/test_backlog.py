"""What waits in the outbox, and why."""

from __future__ import annotations

import pytest

from gaia.messages import Address
from gaia.store import conversations, outbox, sending
from gaia.store.engine import Database
from gaia.store.outbox import Cause
from gaia.store.users import Role, Users
from gaia.testing.clock import START, FakeClock


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
            sending.mark_waiting(session, outbox_id, error=error)
    backlog = await database.read(outbox.backlog)
    assert backlog.open == 12
    assert backlog.causes == (Cause(3, "down"), Cause(2, "closed"), Cause(1, "flood"))


async def test_what_has_left_or_was_given_up_waits_for_nothing(
    database: Database, twelve: None
) -> None:
    with database.writing() as session:
        sending.mark_waiting(session, 1, error="flood")
        sending.mark_taken(session, 1, "m1")
        sending.mark_unknown(session, 2, error="timeout", not_before=None)
        third = outbox.get(session, 3)
        assert third is not None
        sending.end_reply(session, third, error="blocked")
    backlog = await database.read(outbox.backlog)
    assert (backlog.open, backlog.dead, backlog.causes) == (1, 10, ())
