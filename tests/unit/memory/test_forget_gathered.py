"""What gaia gathered by itself is forgotten as well, in the transaction of the wish."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.memory import forget, ledger, rows
from gaia.memory.memory import Statement
from gaia.store import forgets, indexes, profiles
from gaia.store.digest_tables import DigestReason, DigestRow, DigestState, DigestWindowRow
from gaia.store.engine import Database
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryKind,
    MemoryRow,
    MemorySource,
    MemoryStatus,
)
from gaia.store.people.identities import User
from gaia.store.profiles import Bullet, Profile
from gaia.testing.clock import START
from tests.harness.archived import talk

GATE = "The gate code is under the blue pot"
HOME = "I live in Lisbonville with Zacharias"
MOVED = "I moved to Portoville with Zacharias in May"
DIGEST = MemorySource.DIGEST
TOLD = "We planned a holiday. The code of the gate lies below a blue pot. Then we had tea."


@pytest.fixture
async def session(database: Database, ada: User, bob: User) -> Session:
    with database.writing() as session:
        yield session


def add(session: Session, user: User, text: str, **fields: object) -> MemoryRow:
    fields = {"source": DIGEST, "kind": MemoryKind.EPISODE} | fields
    added = ledger.add(session, user.user_id, Statement(text, **fields), START)
    return session.get(MemoryRow, added.memory.memory_id)


def texts(session: Session, user: User) -> Sequence[str]:
    query = select(MemoryRow.text).where(MemoryRow.user_id == user.user_id)
    return session.scalars(query.order_by(MemoryRow.memory_id)).all()


def moved(session: Session, user: User, text: str, **fields: object) -> tuple[int, int]:
    """The numbers of a home, and of a sentence that took its place."""
    fact = {"kind": MemoryKind.FACT, "quote": MOVED} | fields
    home = add(session, user, HOME, source=MemorySource.USER, kind=MemoryKind.FACT)
    heir = add(session, user, text, **fact)
    ledger.give_way(session, user.user_id, home.memory_id, heir.memory_id, START)
    return home.memory_id, heir.memory_id


def forget_gate(session: Session, user: User) -> forget.Forgotten:
    gate = add(session, user, GATE, source=MemorySource.USER, kind=MemoryKind.FACT)
    return forget.forget(session, user.user_id, [gate.memory_id], now=START)


def digest(session: Session, user: User, state: DigestState) -> DigestRow:
    turn = talk(session, user.user_id, f"I said {state}", turn_id=f"{user.name} {state}")
    row = DigestRow(
        session_id=f"{turn.session_id}{state}",
        user_id=user.user_id,
        conversation_id=turn.conversation_id,
        generation=1,
        reason=DigestReason.IDLE,
        state=state,
        created_at=START,
    )
    session.add(row)
    session.flush()
    session.add(
        DigestWindowRow(
            digest_id=row.digest_id,
            number=1,
            user_id=user.user_id,
            last_archive_id=1,
            outcome={"summary": "They keep a key somewhere."},
            created_at=START,
        )
    )
    session.flush()
    return row


def states(session: Session, user: User) -> Sequence[DigestState]:
    query = select(DigestRow.state).where(DigestRow.user_id == user.user_id)
    return session.scalars(query.order_by(DigestRow.digest_id)).all()


def windows(session: Session) -> set[str]:
    return set(session.scalars(select(DigestWindowRow.user_id)))


async def test_an_episode_that_tells_it_in_other_words_goes_and_others_stay(session, ada, bob):
    add(session, ada, TOLD)
    add(session, ada, "We talked about the garden.")
    add(session, bob, TOLD)
    assert forget_gate(session, ada).count == 1
    assert texts(session, ada) == ["We talked about the garden."]
    assert texts(session, bob) == [TOLD]


async def test_what_is_held_of_it_goes_and_what_the_user_sees_is_theirs_to_name(session, ada):
    pending = add(session, ada, "Hides the gate code under a pot", kind=MemoryKind.FACT)
    pending.status = MemoryStatus.PENDING
    add(session, ada, "The blue pot has a gate code", kind=MemoryKind.FACT)
    forget_gate(session, ada)
    assert texts(session, ada) == ["The blue pot has a gate code"]


async def test_an_episode_that_counts_no_longer_goes_too(session, ada):
    add(session, ada, TOLD).status = MemoryStatus.ARCHIVED
    forget_gate(session, ada)
    assert texts(session, ada) == []


async def test_the_profile_goes(session, ada, bob):
    for user in (ada, bob):
        profiles.put(session, user.user_id, Profile([Bullet(GATE, (1,))], True, "x"), START)
    forget_gate(session, ada)
    assert profiles.get(session, ada.user_id) is None
    assert profiles.get(session, bob.user_id) is not None


async def test_what_was_read_for_digests_is_dropped_whatever_it_tells(session, ada, bob):
    for user in (ada, bob):
        for state in (DigestState.EXTRACTED, DigestState.FAILED, DigestState.COMMITTED):
            digest(session, user, state)
    forget_gate(session, ada)
    assert windows(session) == {bob.user_id}
    assert states(session, ada) == ["sealed", "failed", "committed"]
    assert states(session, bob) == ["extracted", "failed", "committed"]


async def test_of_everything_no_digest_is_left_that_could_still_learn(session, ada, bob):
    for user in (ada, bob):
        for state in DigestState:
            digest(session, user, state)
    forget.forget_everything(session, ada.user_id, now=START)
    assert states(session, ada) == ["committed", "cleared"]
    assert states(session, bob) == list(DigestState)
    assert windows(session) == {bob.user_id}


async def test_the_mark_is_another_after_each_wish_and_none_while_it_is_carried_out(
    session, ada, bob
):
    async def mark(user: User) -> int | None:
        return forgets.mark(session, user.user_id)

    async def carry_out() -> None:
        (request,) = forgets.under_way(session, ada.user_id)
        forgets.seal(session, request.forget_id, ada.user_id)
        forgets.done(session, [request.forget_id])

    marks = [await mark(ada)]
    for _ in range(2):
        assert await mark(ada) == marks[-1]
        forget_gate(session, ada)
        assert await mark(ada) is None
        await carry_out()
        marks.append(await mark(ada))
    forget.forget_everything(session, ada.user_id, now=START)
    assert await mark(ada) is None
    await carry_out()
    assert len({*marks, await mark(ada)}) == 4
    assert await mark(bob) == 0


@pytest.mark.parametrize(
    ("text", "quote", "left"),
    [
        (f"{MOVED} (before: {HOME})", MOVED, MOVED),
        (f"{MOVED} [2026-05] (before: {HOME}; I (before: now) hum)", MOVED, f"{MOVED} [2026-05]"),
        (f"{MOVED} (before: June) (before: {HOME})", f"{MOVED} (before: June)", None),
        (f"{MOVED} (before: June)", f"{MOVED} (before: June)", None),
    ],
)
@pytest.mark.parametrize("source", [DIGEST, MemorySource.IMPORT])
def test_the_words_of_others_that_older_gaias_wrote_into_a_memory_go(
    session: Session, ada: User, text: str, quote: str, left: str | None, source: MemorySource
) -> None:
    home, heir = moved(session, ada, text, quote=quote, source=source)
    forget.forget(session, ada.user_id, [home], now=START)
    assert texts(session, ada) == [left or quote]
    assert forget.with_words(session, ada.user_id, "Lisbonville") == []
    assert forget.with_words(session, ada.user_id, "Portoville") == [heir]
    row = session.get_one(MemoryRow, heir)
    assert row.hash == rows.text_hash(left or quote)
    last = indexes.waiting_ops(session, limit=100)[-1]
    assert (last.memory_id, last.operation) in [
        (heir, IndexOperation.PUT),
        (home, IndexOperation.REMOVE),
    ]


def test_what_is_left_of_such_a_memory_and_is_known_already_is_one_with_it(
    session: Session, ada: User
) -> None:
    home, heir = moved(session, ada, f"{MOVED} (before: {HOME})")
    again = add(session, ada, MOVED, kind=MemoryKind.FACT).memory_id
    forget.forget(session, ada.user_id, [home], now=START)
    kept = [(each.memory_id, each.text) for each in ledger.every(session, ada.user_id, limit=9)]
    assert kept == [(again, MOVED)]
    assert ledger.get(session, ada.user_id, heir).superseded_by == again


def test_a_wording_that_knew_more_than_its_sentence_goes(session: Session, ada: User) -> None:
    sentence = {"kind": MemoryKind.FACT, "label": "Ada lives in Lisbonville with Zacharias"}
    there = add(session, ada, "We are happy there", **sentence)
    other = add(session, ada, "I sing", kind=MemoryKind.FACT, label="Ada sings")
    home = add(session, ada, HOME, source=MemorySource.USER, kind=MemoryKind.FACT)
    assert len(forget.with_words(session, ada.user_id, "Lisbonville")) == 2
    forget.forget(session, ada.user_id, [home.memory_id], now=START)
    assert (there.text, there.label, other.label) == ("We are happy there", None, "Ada sings")
    assert forget.with_words(session, ada.user_id, "Lisbonville") == []
    assert forget.with_words(session, ada.user_id, "happy") == [there.memory_id]
