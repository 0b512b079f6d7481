"""What usage tells: read from what is recorded, of a person's own words theirs alone."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from gaia.memory import archive, ledger
from gaia.memory.contexts import GLOBAL
from gaia.memory.search.search import Search
from gaia.ops.growth.figures import Figures, NoIndex, RepeatedRequest, figures
from gaia.store import conversations, usage
from gaia.store.archive import Ended
from gaia.store.memory_tables import MemoryKind
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.people.identities import User
from gaia.store.usage import Usage
from gaia.testing.clock import START, FakeClock
from tests.harness.book import Book, said

NOW = START + timedelta(days=20)


def say(session: Session, user: User, *told: tuple[int, str], context: str = GLOBAL) -> None:
    """Archive turns, each a number of days after the start."""
    conversation = conversations.create(
        session, user_id=user.user_id, channel="terminal", chat="chat", direct=True, now=START
    )
    for number, (days, text) in enumerate(told):
        turn = Ended(
            turn_id=f"t_{user.name}_{number}",
            user_id=user.user_id,
            conversation_id=conversation.conversation_id,
            session_id="s",
            asked=text,
            words=text,
            answer="Yes.",
            said_at=START + timedelta(days=days),
            context=context,
        )
        archive.keep(session, turn)


async def read(book: Book, user: User, days: int = 30) -> Figures:
    search = Search(book.database, NoIndex(), FakeClock())
    return await book.database.read(figures, search, user.user_id, NOW, days)


async def test_tokens_and_budgets_are_counted(book: Book, ada: User, bob: User) -> None:
    with book.database.writing() as session:
        for user, day, purpose, calls in (
            (ada, 1, usage.TURN, 10),
            (bob, 2, usage.TURN, 5),
            (bob, 2, usage.DIGEST, 7),
            (bob, 2, usage.PROFILE, 1),
            (ada, 2, usage.DIGEST, 3),
        ):
            used = Usage("m", purpose, calls, tokens_in=100 * calls, tokens_out=10 * calls)
            usage.add(session, user.user_id, (START + timedelta(days=day)).date(), used)
        for user, day, stage in ((ada, 1, "used_up"), (bob, 1, "used_up"), (ada, 2, "near")):
            session.add(
                BudgetNoticeRow(
                    user_id=user.user_id,
                    day=(START + timedelta(days=day)).date().isoformat(),
                    budget="user",
                    stage=stage,
                )
            )
    found = await read(book, ada)
    assert (found.calls, found.tokens_in, found.tokens_out) == (15, 1500, 150)
    assert (found.spent_days, found.all_spent_days) == (1, 0)
    assert found.most_learned == [8]
    assert (await read(book, ada, days=1)).calls == 0


async def test_questions_that_find_nothing_are_counted(book: Book, ada: User, bob: User) -> None:
    await book.keep(ada, "The gate code is under the blue pot")
    with book.database.writing() as session:
        say(
            session,
            ada,
            (1, "Where is the gate code?"),
            (2, "Who won the regatta in Cowes?"),
            (3, "I ski"),
        )
        say(session, bob, (1, "Where is the gate code?"))
    found = await read(book, ada)
    assert (found.questions, found.unanswered) == (2, 1)
    assert (await read(book, bob)).unanswered == 1


async def test_what_was_said_again_and_again_is_a_wish(book: Book, ada: User, bob: User) -> None:
    request = "Shorter answers, please"
    with book.database.writing() as session:
        say(
            session,
            ada,
            *((day, request) for day in (1, 1, 2)),
            *((day, "Thanks a lot!") for day in (1, 2, 3)),
            *((day, "How is the weather?") for day in (1, 2, 3)),
            *((day, "go on") for day in (1, 2, 3)),
            *((1, "Only on one day, alas") for _ in range(3)),
            *((day, "my password is hunter2!") for day in (1, 2, 3)),
            *((day, "Said twice a month") for day in (1, 2)),
        )
        say(session, bob, *((day, "Always in German, please") for day in (1, 2, 3)))
    assert (await read(book, ada)).requests == [RepeatedRequest(request, 3, 2)]
    with book.database.writing() as session:
        ledger.add(session, ada.user_id, said(request, kind=MemoryKind.RULE), NOW)
    assert (await read(book, ada)).requests == []


async def test_what_is_said_in_a_context_is_not_looked_at(book: Book, ada: User) -> None:
    told = [(day, text) for day in (1, 2, 3) for text in ("Write my letters to Tom", "Who is Tom?")]
    with book.database.writing() as session:
        say(session, ada, *told, context="work")
    found = await read(book, ada)
    assert (found.questions, list(found.requests)) == (0, [])
