"""The archive is pruned by age, and never of what has still to be read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from gaia.memory import archive
from gaia.store import archive as rows
from gaia.store import conversations
from gaia.store.digest_tables import ArchivedTermRow, DigestReason, DigestRow, DigestState
from gaia.testing.clock import START
from tests.harness.archived import talk

NOW = START + timedelta(days=100)


def kept(session, user) -> list[str]:
    numbers = rows.numbers(session, user.user_id)
    return [turn.turn_id for turn in rows.get_many(session, user.user_id, numbers)]


@pytest.fixture
async def session(database, ada, bob):
    with database.writing() as session:
        yield session


def talk_and_leave(session, user, state: DigestState | None, **changes):
    turn = talk(session, user.user_id, "hello there", turn_id="old", **changes)
    chat = conversations.get(session, turn.conversation_id)
    conversations.start_next_session(session, turn.conversation_id)
    if state is not None:
        session.add(
            DigestRow(
                session_id=turn.session_id,
                user_id=user.user_id,
                conversation_id=turn.conversation_id,
                generation=chat.generation,
                reason=DigestReason.IDLE,
                state=state,
                created_at=START,
            )
        )
        session.flush()


@pytest.mark.parametrize(
    ("state", "goes"),
    [*((state, state is DigestState.CLEARED) for state in DigestState), (None, True)],
)
async def test_what_is_old_goes_once_its_session_is_cleared_or_nobody_reads_it(
    session, ada, state, goes
):
    talk_and_leave(session, ada, state)
    assert archive.prune(session, NOW, 90) == goes
    assert kept(session, ada) == ([] if goes else ["old"])
    terms = session.scalar(select(func.count()).select_from(ArchivedTermRow))
    assert bool(terms) is not goes


async def test_what_is_young_stays(session, ada):
    talk_and_leave(session, ada, None)
    assert archive.prune(session, START + timedelta(days=90), 90) == 0


async def test_the_present_session_stays_and_no_other_of_a_like_number(session, ada):
    for number in range(15):
        turn = talk(session, ada.user_id, "hi", turn_id=f"turn-{number}")
        conversations.start_next_session(session, turn.conversation_id)
    talk(session, ada.user_id, "hi", turn_id="present")
    assert archive.prune(session, NOW, 90) == 15
    assert kept(session, ada) == ["present"]


async def test_it_goes_in_short_transactions_the_oldest_first(session, ada):
    for number in range(3):
        turn = talk(session, ada.user_id, "hi", turn_id=f"{number}")
        conversations.start_next_session(session, turn.conversation_id)
    assert rows.prune(session, NOW, most=2) == 2
    assert kept(session, ada) == ["2"]
