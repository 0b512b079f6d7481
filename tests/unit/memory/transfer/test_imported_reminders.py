"""Reminders that are taken in again: none is doubled, said again or brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from gaia.memory import ledger
from gaia.memory.memory import Memory
from gaia.memory.reminders import reminders
from gaia.memory.reminders.requests import wanted
from gaia.memory.transfer.export import records
from gaia.memory.transfer.importer import FileFormat, ImportResult, check, import_statements
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.testing.clock import FakeClock
from tests.harness.book import Book

BERLIN = ZoneInfo("Europe/Berlin")
ASKED = datetime(2026, 3, 27, 12, 0, 0, 123456, tzinfo=UTC)
"""Two days before the clocks change."""

DAY = timedelta(days=1)
OVEN = "in 10 minutes to turn off the oven"
BOB = "tomorrow at 9 to call Bob"
PILLS = "every day at 9 take the pills"
BINS = "every Monday at 8 take out the bins"
WATER = "every 2 hours drink water"

Deed = Callable[[Session, User, Memory], object]


def ask(session: Session, user: User, words: str, at: datetime = ASKED) -> Memory:
    due = wanted(words, at, BERLIN, 9)
    assert due is not None
    return reminders.add(session, user.user_id, due, at, source=MemorySource.USER).memory


def said_at(session: Session, now: datetime) -> list[str]:
    """What is said then."""
    due = reminders.take_due(session, now)
    for each in due:
        reminders.mark_said(session, each.reminder.memory_id, now)
    return [each.reminder.text for each in due]


def exported(session: Session, user: User) -> str:
    lines = records(session, user.user_id, FileFormat.JSONL)
    return "\n".join(each.to_json() for each in lines)


async def import_(book: Book, user: User, lines: str, now: datetime) -> ImportResult:
    statements = check(lines, FileFormat.JSONL).statements
    return await import_statements(
        book.database, user.user_id, statements, FakeClock(now), lambda _, total: None
    )


def snooze(session: Session, user: User, memory: Memory) -> None:
    reminders.snooze(session, user.user_id, memory.memory_id, ASKED + 2 * DAY)


def move(session: Session, user: User, memory: Memory) -> None:
    identities.set_zone(session, user.user_id, "America/New_York")
    reminders.move_to_zone(session, user.user_id, "America/New_York")


def say(session: Session, user: User, memory: Memory) -> None:
    for hours in range(0, 60, 3):
        said_at(session, ASKED + timedelta(hours=hours))


def cancel(session: Session, user: User, memory: Memory) -> None:
    reminders.cancel(session, user.user_id, memory.memory_id, ASKED)


def be_done(session: Session, user: User, memory: Memory) -> None:
    reminders.done(session, user.user_id, memory.memory_id, ASKED)


def nothing(session: Session, user: User, memory: Memory) -> None:
    pass


@pytest.mark.parametrize("before", [True, False], ids=["exported before", "exported after"])
@pytest.mark.parametrize("deed", [nothing, snooze, move, say, cancel, be_done])
@pytest.mark.parametrize("words", [OVEN, BOB, PILLS, BINS, WATER])
async def test_a_reminder_that_is_known_stays_as_it_is(
    book: Book, ada: User, words: str, deed: Deed, before: bool
) -> None:
    with book.database.writing() as session:
        memory = ask(session, ada, words)
        lines = exported(session, ada) if before else ""
        deed(session, ada, memory)
        session.flush()
        lines = lines or exported(session, ada)
    kept = await book.stored(ada, memory.memory_id)
    count = len(lines.splitlines())
    assert await import_(book, ada, lines, ASKED + DAY) == ImportResult(new=0, known=count)
    assert await book.stored(ada, memory.memory_id) == kept
    assert len(await book.database.read(ledger.numbers, ada.user_id)) == 1


async def test_what_was_said_is_not_said_again_in_another_home(
    book: Book, ada: User, bob: User
) -> None:
    with book.database.writing() as session:
        for words in (OVEN, PILLS):
            ask(session, ada, words)
        assert said_at(session, ASKED + DAY) == ["turn off the oven", "take the pills"]
        session.flush()
        lines = exported(session, ada)
        reminders.cancel(session, ada.user_id, 2, ASKED)
    assert await import_(book, bob, lines, ASKED + 40 * DAY) == ImportResult(new=2, known=0)
    with book.database.writing() as session:
        assert said_at(session, ASKED + DAY) == said_at(session, ASKED + 40 * DAY) == []
        assert said_at(session, ASKED + 41 * DAY) == ["take the pills"]


async def test_two_that_were_asked_for_at_once_are_two(book: Book, ada: User, bob: User) -> None:
    with book.database.writing() as session:
        ask(session, ada, BOB)
        ask(session, ada, "on Friday at 9 to call Bob")
        lines = exported(session, ada)
    for new in (2, 0):
        result = await import_(book, bob, lines + "\n" + lines, ASKED)
        assert result == ImportResult(new=new, known=4 - new)


@pytest.mark.parametrize("is_old", [True, False])
@pytest.mark.parametrize("words", [PILLS, BINS, WATER, "cada lunes a las 8 sacar la basura"])
def test_what_recurs_and_is_asked_for_again_is_one(
    book: Book, ada: User, words: str, is_old: bool
) -> None:
    with book.database.writing() as session:
        first = ask(session, ada, words)
        if is_old:
            session.execute(update(MemoryRow).values(hash="of an older gaia"))
            session.expire_all()
        for week in range(1, 4):
            again = ask(session, ada, words, ASKED + 7 * week * DAY)
            assert again.memory_id == first.memory_id
            assert again.due_at is not None
            assert again.due_at > ASKED + 7 * week * DAY


@pytest.mark.parametrize(
    "other",
    [
        "every Monday at 9 take out the bins",
        "every Tuesday at 8 take out the bins",
        "every second Monday at 8 take out the bins",
        "every Monday at 8 take in the bins",
        "on Monday at 8 take out the bins",
    ],
)
def test_what_recurs_otherwise_is_another(book: Book, ada: User, other: str) -> None:
    with book.database.writing() as session:
        first = ask(session, ada, BINS)
        assert ask(session, ada, other).memory_id != first.memory_id
        assert ledger.count(session, ada.user_id, MemoryStatus.ACTIVE) == 2
