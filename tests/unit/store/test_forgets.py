"""Wishes to forget, when two users become one."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from gaia.messages import Address, Inbound
from gaia.store import chunk_states, conversations, forgets, inbox, outbox
from gaia.store.engine import Database
from gaia.store.ownership import join_users
from gaia.store.people.identities import Role
from gaia.store.people.users import User, Users
from gaia.store.redaction import REPLACEMENT
from gaia.store.tables import InboxRow, InboxState, OutboxRow
from gaia.testing.clock import START, FakeClock


@pytest.fixture
async def both(database: Database, clock: FakeClock) -> tuple[User, User]:
    """Ada and Bob, each of whom has said something and was answered."""
    users = Users(database, clock)
    made = []
    for name in ("ada", "bob"):
        user = await users.create(name, Role.OWNER)
        with database.writing() as session:
            chat = conversations.find_or_create(
                session, user_id=user.user_id, channel="fake", chat=name, direct=True, now=START
            )
            said = Inbound(Address("fake", name), name, name, f"I am {name}", START)
            inbox.record(
                session,
                said,
                chat,
                is_command=False,
                now=START,
                state=InboxState.DONE,
                turn_id=name,
            )
            outbox.add(
                session,
                conversation_id=chat.conversation_id,
                turn_id=name,
                chunks=[f"Hello {name}"],
                now=START,
            )
            due = outbox.next_due(session, chat.conversation_id)
            assert due is not None
            chunk_states.mark_taken(session, due.chunk.outbox_id, "1")
        made.append(user)
    return made[0], made[1]


@pytest.mark.parametrize("who", [0, 1])
async def test_everything_of_one_of_them_is_not_everything_of_the_other(
    who: int, both: tuple[User, User], database: Database
) -> None:
    ada, bob = both
    with database.writing() as session:
        forgets.begin(
            session,
            both[who].user_id,
            everything=True,
            phrases=["I am a secret"],
            turn_ids=(),
            inbox_id=9,
            now=START,
        )
        join_users(session, bob, ada, START)
        (request,) = forgets.under_way(session, ada.user_id)
        assert not request.everything
        assert request.phrases == ("I am a secret",)
        said = session.scalars(select(InboxRow.text).order_by(InboxRow.inbox_id)).all()
        told = session.scalars(select(OutboxRow.text).order_by(OutboxRow.outbox_id)).all()
    kept = 1 - who
    assert said[who] == told[who] == REPLACEMENT
    assert said[kept].startswith("I am")
    assert told[kept].startswith("Hello")


async def test_a_question_of_before_is_dropped(both: tuple[User, User], database: Database) -> None:
    ada, bob = both
    with database.writing() as session:
        for user in both:
            forgets.ask(session, user.user_id, (), everything=True, now=START)
        join_users(session, bob, ada, START)
        assert forgets.asked(session, ada.user_id, None, since=START) is None


async def test_what_was_looked_for_at_the_user_of_before_is_not_carried_out(
    both: tuple[User, User], database: Database
) -> None:
    ada, bob = both
    with database.writing() as session:
        forgets.begin(
            session,
            bob.user_id,
            everything=False,
            phrases=["I am a secret"],
            turn_ids=(),
            inbox_id=9,
            now=START,
        )
        (request,) = forgets.under_way(session)
        join_users(session, bob, ada, START)
        assert not forgets.seal(session, request.forget_id, request.user_id)
        (request,) = forgets.under_way(session)
        assert (request.user_id, request.phrases) == (ada.user_id, ("I am a secret",))
        assert forgets.seal(session, request.forget_id, request.user_id)
        (request,) = forgets.under_way(session)
        assert request.phrases == ()
