"""Reminders that a turn is told of: what is due soon, or was lately."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.memory import preload
from gaia.store.identities import User
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import START
from tests.harness.book import Book, said

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("due_in", "is_told"),
    [
        (timedelta(days=1), True),
        (timedelta(days=1) + SECOND, False),
        (timedelta(0), True),
        (-timedelta(days=7), True),
        (-timedelta(days=7) - SECOND, False),
    ],
)
async def test_what_is_due_within_a_day_or_was_within_a_week_is_told(
    book: Book, ada: User, bob: User, due_in: timedelta, is_told: bool
) -> None:
    reminder = said("Call Grace", kind=MemoryKind.REMINDER, due_at=START + due_in)
    await book.keep(ada, reminder)
    with book.database.reading() as session:
        assert bool(preload.due_reminders(session, ada.user_id, START)) is is_told
        assert preload.due_reminders(session, bob.user_id, START) == []


async def test_the_first_three_are_told_in_their_order(book: Book, ada: User) -> None:
    for hour in (4, 1, 3, 2):
        due_at = START + timedelta(hours=hour)
        await book.keep(ada, said(f"at {hour}", kind=MemoryKind.REMINDER, due_at=due_at))
    await book.keep(ada, said("no reminder", due_at=START))
    await book.keep(ada, said("hush", kind=MemoryKind.REMINDER, due_at=START, sensitive=True))
    found = await book.database.read(preload.due_reminders, ada.user_id, START)
    assert [each.text for each in found] == ["at 1", "at 2", "at 3"]
