"""Forgetting within a transaction: asked, confirmed, gone, and not learned again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import ForgottenError, MissingOwnerError, UnknownForgetError
from gaia.memory import forget, forgotten, ledger
from gaia.memory.forget import ASKED_FOR
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.store import audit, forgets, indexes
from gaia.store.engine import Database
from gaia.store.memory_tables import (
    ForgetState,
    ForgottenRow,
    IndexOperation,
    MemoryEntityRow,
    MemoryKind,
    MemoryRow,
    MemorySource,
    MemoryTermRow,
)
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock
from tests.harness.databases import opened

GATE = Statement(
    "The gate code is under the blue pot",
    MemorySource.TOOL,
    quote="the code for the gate lies under our blue pot",
    entities=("place:gate",),
    turn_id="turn-1",
)
CLOCK = FakeClock()
NOW = CLOCK.now()


@pytest.fixture
async def database(new_home: Callable[[Path], Home], tmp_path: Path) -> AsyncIterator[Database]:
    database: Database = opened(new_home(tmp_path / "home"))
    yield database
    await database.close()


@pytest.fixture
async def session(database: Database) -> AsyncIterator[Session]:
    with database.writing() as session:
        yield session


@pytest.fixture
async def ada(database: Database) -> str:
    return (await Users(database, CLOCK).create("Ada", Role.OWNER)).user_id


@pytest.fixture
async def bob(database: Database) -> str:
    return (await Users(database, CLOCK).create("Bob", Role.MEMBER)).user_id


def remembered(session: Session, user_id: str, said: Statement = GATE) -> int:
    return ledger.add(session, user_id, said, NOW).memory.memory_id


async def test_nothing_of_what_is_forgotten_can_be_found(
    ada: str, bob: str, session: Session
) -> None:
    old = remembered(session, ada, replace(GATE, text="The gate code is in the kitchen"))
    added = ledger.supersede(session, ada, old, GATE, NOW)
    theirs = remembered(session, bob)
    forget_id = forget.ask(session, ada, memory_ids=[added.memory.memory_id], now=NOW)
    done = forget.confirm(session, ada, forget_id, inbox_id=7, now=NOW)
    assert (done.count, done.everything) == (1, False)
    for table in (MemoryRow, MemoryTermRow, MemoryEntityRow):
        rows = select(func.count()).select_from(table).where(table.user_id == ada)
        assert session.scalar(rows) == 0
    assert ledger.get(session, bob, theirs).text == GATE.text


async def test_what_is_left_to_do_is_written_with_it(ada: str, session: Session) -> None:
    number = remembered(session, ada)
    forget.forget(session, ada, [number], inbox_id=7, now=NOW)
    (request,) = forgets.under_way(session)
    assert request.state is ForgetState.WIPING
    assert request.phrases == (GATE.text, GATE.quote)
    assert (request.turn_ids, request.inbox_id) == (frozenset({"turn-1"}), 7)
    ops = indexes.waiting_ops(session, limit=10, of=[IndexOperation.REMOVE])
    assert [op.memory_id for op in ops] == [number]
    entry = audit.entries(session, limit=1)[0]
    assert (entry.action, entry.detail) == (audit.Action.FORGOT, "memories: 1")


async def test_what_it_was_named_by_is_looked_for_too(ada: str, session: Session) -> None:
    number = remembered(session, ada)
    asked = forget.ask(session, ada, memory_ids=[number], words="blue", now=NOW)
    forget.confirm(session, ada, asked, inbox_id=7, now=NOW)
    (request,) = forgets.under_way(session)
    assert request.phrases == (GATE.text, GATE.quote, "blue")
    said = Statement("It is blue", MemorySource.TOOL)
    assert ledger.add(session, ada, said, NOW).is_new


async def test_no_open_question_outlives_what_it_is_about(ada: str, session: Session) -> None:
    number = remembered(session, ada)
    asked = forget.ask(session, ada, memory_ids=[number], words="blue pot", now=NOW)
    forget.forget(session, ada, [number], now=NOW)
    assert forgets.asked(session, ada, asked, since=NOW) is None


async def test_a_question_holds_no_words_and_for_an_hour(ada: str, session: Session) -> None:
    number = remembered(session, ada)
    asked = forget.ask(session, ada, memory_ids=[number], now=NOW)
    request = forgets.asked(session, ada, asked, since=NOW)
    assert request is not None
    assert (request.memory_ids, request.phrases) == ((number,), ())
    late = NOW + ASKED_FOR + timedelta(seconds=1)
    with pytest.raises(UnknownForgetError):
        forget.confirm(session, ada, asked, inbox_id=1, now=late)
    assert ledger.count(session, ada) == 1


async def test_a_new_question_replaces_the_old_one(ada: str, session: Session) -> None:
    number = remembered(session, ada)
    old = forget.ask(session, ada, everything=True, now=NOW)
    forget.ask(session, ada, memory_ids=[number], now=NOW)
    with pytest.raises(UnknownForgetError, match=str(old)):
        forget.confirm(session, ada, old, inbox_id=1, now=NOW)
    assert not forget.confirm(session, ada, None, inbox_id=1, now=NOW).everything
    with pytest.raises(UnknownForgetError):
        forget.confirm(session, ada, None, inbox_id=1, now=NOW)


async def test_nobody_confirms_or_forgets_for_another(ada: str, bob: str, session: Session) -> None:
    number = remembered(session, ada)
    asked = forget.ask(session, ada, memory_ids=[number], now=NOW)
    with pytest.raises(UnknownForgetError):
        forget.confirm(session, bob, asked, inbox_id=1, now=NOW)
    assert forget.forget(session, bob, [number], now=NOW).count == 0
    assert ledger.count(session, ada) == 1
    assert forgets.under_way(session) == []
    for user_id in ("", " "):
        with pytest.raises(MissingOwnerError):
            forget.forget(session, user_id, [number], now=NOW)
        with pytest.raises(MissingOwnerError):
            forget.forget_everything(session, user_id, now=NOW)
        with pytest.raises(MissingOwnerError):
            forget.ask(session, user_id, everything=True, now=NOW)


@pytest.mark.parametrize(("numbers", "everything"), [((), False), ((1,), True)])
async def test_a_question_is_about_some_memories_or_all(
    numbers: tuple[int, ...], everything: bool, ada: str, session: Session
) -> None:
    with pytest.raises(ValueError, match="either"):
        forget.ask(session, ada, memory_ids=numbers, everything=everything, now=NOW)


async def test_any_number_of_memories_is_forgotten_at_once(
    ada: str, bob: str, session: Session
) -> None:
    for number in range(120):
        remembered(session, ada, Statement(f"Fact {number} of Ada", MemorySource.USER))
    remembered(session, bob)
    asked = forget.ask(session, ada, everything=True, now=NOW)
    done = forget.confirm(session, ada, asked, inbox_id=1, now=NOW)
    assert (done.count, done.everything) == (120, True)
    assert ledger.numbers(session, ada) == []
    assert ledger.count(session, bob) == 1
    assert indexes.ops_backlog(session, ada).waiting == 240


@pytest.mark.parametrize(
    "again",
    [
        GATE.text,
        "THE GATE CODE is under the blue pot!!",
        "under the blue pot is the gate code",
        GATE.quote or "",
    ],
)
@pytest.mark.parametrize("source", [MemorySource.TOOL, MemorySource.DIGEST])
async def test_it_is_not_learned_again_in_other_order_or_case(
    again: str, source: MemorySource, ada: str, bob: str, session: Session
) -> None:
    forget.forget(session, ada, [remembered(session, ada)], now=NOW)
    with pytest.raises(ForgottenError):
        ledger.add(session, ada, Statement(again, source), NOW)
    with pytest.raises(ForgottenError):
        ledger.add(session, ada, Statement("It is somewhere", source, quote=again), NOW)
    assert ledger.add(session, bob, Statement(again, source), NOW).is_new


async def test_the_user_may_say_it_again(ada: str, session: Session) -> None:
    forget.forget(session, ada, [remembered(session, ada)], now=NOW)
    by_tool = replace(GATE, said_again_at=NOW + timedelta(seconds=1))
    number = ledger.add(session, ada, by_tool, NOW).memory.memory_id
    forget.forget(session, ada, [number], now=NOW)
    assert forgotten.is_forgotten(session, ada, GATE.text)
    by_command = Statement(GATE.text, MemorySource.USER, kind=MemoryKind.NOTE)
    assert ledger.add(session, ada, by_command, NOW).is_new
    assert not forgotten.is_forgotten(session, ada, GATE.text)


async def test_a_turn_that_is_run_again_after_a_crash_says_nothing_again(
    ada: str, session: Session
) -> None:
    forget.forget(session, ada, [remembered(session, ada)], now=NOW)
    before = replace(GATE, said_again_at=NOW - timedelta(seconds=1))
    with pytest.raises(ForgottenError):
        ledger.add(session, ada, before, NOW + timedelta(seconds=9))


@pytest.mark.parametrize(
    ("words", "statement", "said"),
    [
        ("Please remember: the blue pot has the gate code", "Gate code: blue pot", True),
        ("remember what I told you", "Gate code: blue pot", False),
        ("The pot is blue", "Gate code: blue pot", False),
    ],
)
def test_whether_words_say_a_statement(words: str, statement: str, said: bool) -> None:
    assert forgotten.says(words, statement) is said


async def test_traces_hold_no_words_and_differ_for_the_same_text(
    ada: str, session: Session
) -> None:
    forgotten.note(session, ada, [GATE.text, GATE.text], NOW)
    query = select(ForgottenRow.salt, ForgottenRow.digest)
    rows = session.execute(query).all()
    assert len({row.digest for row in rows}) == 2
    assert not any(word in b"".join(row) for row in rows for word in (b"gate", b"pot"))
