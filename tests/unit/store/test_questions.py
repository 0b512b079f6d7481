"""The question that waits is the last thing that was said, however much was said before."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import event, update

from gaia.messages import Address, Button
from gaia.store import conversations, outbox, questions
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.tables import OutboxRow, OutboxState
from gaia.testing.clock import START, FakeClock

YES = Button("Yes", "/memory keep 1", answer="yes")
LATER = START + timedelta(minutes=1)


class Chat:
    """What gaia said in a chat."""

    def __init__(self, database: Database, conversation_id: int) -> None:
        self._database, self._id = database, conversation_id

    def say(
        self,
        text: str,
        *buttons: Button,
        state: OutboxState = OutboxState.SENT,
        sent_at: datetime | None = START,
    ) -> None:
        with self._database.writing() as session:
            outbox.add(
                session,
                conversation_id=self._id,
                turn_id=None,
                chunks=(text,),
                now=START,
                buttons=buttons,
            )
            newest = max(
                each.chunk.outbox_id for each in outbox.listed(session, states=outbox.OPEN)
            )
            session.execute(
                update(OutboxRow)
                .where(OutboxRow.outbox_id == newest)
                .values(state=state, sent_at=sent_at)
            )

    def waiting(
        self, since: datetime = START, until: datetime = START
    ) -> questions.Question | None:
        with self._database.reading() as session:
            return questions.waiting(session, self._id, since, until)


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Chat:
    ada = await Users(database, clock).create("Ada", Role.OWNER, Address("fake", "ada"))
    with database.writing() as session:
        conversation = conversations.find_or_create(
            session, user_id=ada.user_id, channel="fake", chat="ada", direct=True, now=START
        )
    return Chat(database, conversation.conversation_id)


UNSEEN = (OutboxState.PENDING, OutboxState.UNKNOWN, OutboxState.DEAD)


@pytest.mark.parametrize("state", sorted(set(OutboxState) - set(UNSEEN)))
def test_a_question_waits_once_it_is_sent(chat: Chat, state: OutboxState) -> None:
    chat.say("Hello")
    chat.say("Keep it?", YES, state=state)
    waiting = chat.waiting()
    assert waiting is not None
    assert (waiting.commands, waiting.sent_at) == ({"yes": "/memory keep 1"}, START)


@pytest.mark.parametrize("state", UNSEEN)
def test_nobody_answers_what_has_not_reached_them(chat: Chat, state: OutboxState) -> None:
    chat.say("Keep it?", YES)
    chat.say("Let Mallory in?", YES, state=state)
    assert chat.waiting() is None


def test_what_was_written_before_it_was_sent_answers_nothing(chat: Chat) -> None:
    # Providers tell whole seconds.
    chat.say("Keep it?", YES, sent_at=START + timedelta(seconds=3.9))
    assert chat.waiting(until=START + timedelta(seconds=2)) is None
    assert chat.waiting(until=START + timedelta(seconds=3)) is not None


@pytest.mark.parametrize("state", OutboxState)
def test_whatever_was_said_since_ends_it(chat: Chat, state: OutboxState) -> None:
    chat.say("Keep it?", YES)
    chat.say("By the way", state=state)
    assert chat.waiting() is None


def test_one_from_before_does_not_wait(chat: Chat) -> None:
    assert chat.waiting() is None
    chat.say("Keep it?", YES)
    assert chat.waiting(since=LATER) is None


@pytest.mark.sqlite
def test_an_old_conversation_costs_no_more_than_a_new_one(chat: Chat, database: Database) -> None:
    asked: list[tuple[str, object]] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def keep(connection, cursor, statement, parameters, context, many) -> None:
        asked.append((statement, parameters))

    chat.waiting()
    ((statement, parameters),) = asked[-1:]
    with database.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        steps = [row[-1] for row in plan]
    of_outbox = [step for step in steps if " outbox" in step]
    states = "USING COVERING INDEX ix_outbox_conversation_id_state (conversation_id=? AND state=?)"
    by_id = "SEARCH outbox USING INTEGER PRIMARY KEY (rowid=?)"
    assert sorted(of_outbox) == [*[f"SEARCH outbox {states}"] * len(OutboxState), by_id]
    assert not any("TEMP B-TREE" in step for step in steps)
