"""Reminders in the ledger: when they are due again, and what becomes of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gaia.errors import UnknownMemoryError
from gaia.memory.memory import Memory
from gaia.memory.reminders import reminders
from gaia.memory.reminders import requests as reminder_words
from gaia.memory.reminders.recurrence import next_time
from gaia.store.memory_tables import MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book

LISBON = ZoneInfo("Europe/Lisbon")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

DAILY = "DTSTART:20260301T093000\nRRULE:FREQ=DAILY"


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=LISBON).astimezone(UTC)


@pytest.mark.parametrize(
    ("rule", "due", "now", "following"),
    [
        (DAILY, "2026-03-28 09:30", "2026-03-28 09:30", "2026-03-29 09:30"),
        (DAILY, "2026-10-24 09:30", "2026-10-24 09:31", "2026-10-25 09:30"),
        (DAILY, "2026-03-01 09:30", "2026-03-05 12:00", "2026-03-06 09:30"),
        # The hour that the clocks leave out, and the one that they repeat.
        (
            "DTSTART:20260301T013000\nRRULE:FREQ=DAILY",
            "2026-03-28 01:30",
            "2026-03-28 01:30",
            "2026-03-29 02:30",
        ),
        (
            "DTSTART:20260301T013000\nRRULE:FREQ=DAILY",
            "2026-10-25 01:30",
            "2026-10-25 01:30",
            "2026-10-26 01:30",
        ),
        (
            "DTSTART:20260302T080000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO",
            "2026-03-02 08:00",
            "2026-03-02 08:00",
            "2026-03-16 08:00",
        ),
        (
            "DTSTART:20260131T080000\nRRULE:FREQ=MONTHLY;BYMONTHDAY=31",
            "2026-01-31 08:00",
            "2026-01-31 08:00",
            "2026-03-31 08:00",
        ),
        (
            "DTSTART:20260301T080000\nRRULE:FREQ=HOURLY;INTERVAL=2",
            "2026-03-01 08:00",
            "2026-03-01 13:00",
            "2026-03-01 14:00",
        ),
    ],
)
def test_what_recurs_keeps_its_time_of_day(rule: str, due: str, now: str, following: str) -> None:
    assert next_time(rule, "Europe/Lisbon", local(due), local(now)) == local(following)


async def remind(book: Book, user: User, words: str, now: datetime = START) -> Memory:
    wanted = reminder_words.wanted(words, now, UTC, 9)
    assert wanted is not None

    def add(session):  # type: ignore[no-untyped-def]
        return reminders.add(session, user.user_id, wanted, now, source=MemorySource.USER)

    added = await book.database.write(add)
    return added.memory


async def said_at(book: Book, now: datetime) -> list[str]:
    """Say what is due, as the worker does."""

    def say(session):  # type: ignore[no-untyped-def]
        due = reminders.take_due(session, now)
        for each in due:
            reminders.mark_said(session, each.reminder.memory_id, now)
        return [each.reminder.text for each in due]

    return await book.database.write(say)


async def test_two_times_for_the_same_are_two_reminders(book: Book, ada: User) -> None:
    await remind(book, ada, "tomorrow at 9 take pills")
    await remind(book, ada, "tomorrow at 21 take pills")
    again = await remind(book, ada, "tomorrow at 21 take pills")
    coming = await book.database.read(reminders.coming, ada.user_id, START, 10)
    assert [each.due_at and each.due_at.hour for each in coming] == [9, 21]
    assert again.memory_id == coming[1].memory_id


async def test_what_is_due_is_said_once_for_its_user(book: Book, ada: User, bob: User) -> None:
    await remind(book, ada, "in two hours feed the cat")
    await remind(book, bob, "tomorrow at 9 call Ada")
    assert await said_at(book, START + HOUR) == []
    assert await said_at(book, START + 2 * HOUR) == ["feed the cat"]
    assert await said_at(book, START + 3 * HOUR) == []
    # It is overdue until somebody is done with it, and for a week at most.
    overdue = await book.database.read(reminders.coming, ada.user_id, START + DAY, 10)
    assert [each.text for each in overdue] == ["feed the cat"]
    assert await book.database.read(reminders.coming, ada.user_id, START + 9 * DAY, 10) == []
    assert await said_at(book, START + DAY) == ["call Ada"]


async def test_what_recurs_and_was_missed_is_said_once(book: Book, ada: User) -> None:
    await remind(book, ada, "every day at 14:00 walk")
    assert await said_at(book, START + 5 * DAY) == ["walk"]
    assert await said_at(book, START + 5 * DAY) == []
    assert await said_at(book, START + 5 * DAY + 2 * HOUR) == ["walk"]


async def test_what_is_put_off_is_said_again_and_then_goes_on(book: Book, ada: User) -> None:
    walk = await remind(book, ada, "every day at 14:00 walk")
    assert await said_at(book, START + 2 * HOUR) == ["walk"]
    until = START + 3 * HOUR
    await book.database.write(reminders.snooze, ada.user_id, walk.memory_id, until)
    assert await said_at(book, until) == ["walk"]
    present = await book.stored(ada, walk.memory_id)
    assert present.due_at == START + DAY + 2 * HOUR


async def test_done_ends_one_that_does_not_recur(book: Book, ada: User, bob: User) -> None:
    cat = await remind(book, ada, "in two hours feed the cat")
    with pytest.raises(UnknownMemoryError):
        await book.database.write(reminders.done, bob.user_id, cat.memory_id, START)
    await book.database.write(reminders.done, ada.user_id, cat.memory_id, START)
    assert (await book.stored(ada, cat.memory_id)).status is MemoryStatus.ARCHIVED
    assert await said_at(book, START + 3 * HOUR) == []
    with pytest.raises(UnknownMemoryError):
        await book.database.write(reminders.restore, ada.user_id, cat.memory_id, START)


async def test_what_recurs_ends_after_its_last_time(book: Book, ada: User) -> None:
    reminder = await remind(book, ada, "remind me every day at 9 for 2 days to eat")
    number = reminder.memory_id
    first = reminder.due_at
    assert first is not None
    assert len(await said_at(book, first)) == 1
    done = await book.database.write(reminders.done, ada.user_id, number, first + HOUR)
    assert (done.due_at, done.status) == (first + DAY, MemoryStatus.ACTIVE)
    assert len(await said_at(book, first + DAY)) == 1
    assert await said_at(book, first + 2 * DAY) == []
    done = await book.database.write(reminders.done, ada.user_id, number, first + DAY + HOUR)
    assert done.status is MemoryStatus.ARCHIVED


async def test_what_ended_while_it_was_cancelled_is_not_brought_back(book: Book, ada: User) -> None:
    reminder = await remind(book, ada, "remind me every day at 9 for 2 days to eat")
    await book.database.write(reminders.cancel, ada.user_id, reminder.memory_id, START)
    with pytest.raises(UnknownMemoryError):
        await book.database.write(
            reminders.restore, ada.user_id, reminder.memory_id, START + 5 * DAY
        )


async def test_what_is_cancelled_can_be_brought_back(book: Book, ada: User) -> None:
    cat = await remind(book, ada, "in two hours feed the cat")
    await book.database.write(reminders.cancel, ada.user_id, cat.memory_id, START)
    await book.database.write(reminders.restore, ada.user_id, cat.memory_id, START)
    assert await said_at(book, START + 2 * HOUR) == ["feed the cat"]


async def test_a_clock_that_ran_ahead_takes_nothing_away(book: Book, ada: User) -> None:
    await remind(book, ada, "tomorrow at 9 call Bob")
    walk = await remind(book, ada, "every day at 14:00 walk")
    wrong = START + 6 * DAY
    assert sorted(await said_at(book, wrong)) == ["call Bob", "walk"]
    assert await book.database.read(reminders.was_said_ahead, START)
    await book.database.write(reminders.mend_after_wrong_clock, START)
    assert (await book.stored(ada, walk.memory_id)).due_at == START + 2 * HOUR
    assert await said_at(book, START + DAY) == ["walk", "call Bob"]


async def test_another_zone_keeps_the_time_of_day_and_no_moment(book: Book, ada: User) -> None:
    at_nine = await remind(book, ada, "tomorrow at 9 call Bob")
    moment = await remind(book, ada, "in two hours feed the cat")
    moved = await book.database.write(reminders.move_to_zone, ada.user_id, "Asia/Tokyo")
    assert moved == 1
    assert (await book.stored(ada, at_nine.memory_id)).due_at == datetime(2026, 1, 2, 0, tzinfo=UTC)
    assert (await book.stored(ada, moment.memory_id)).due_at == START + 2 * HOUR


async def test_the_question_for_a_zone_comes_once(book: Book, ada: User) -> None:
    assert await book.database.write(identities.may_ask_zone, ada.user_id, START)
    assert not await book.database.write(identities.may_ask_zone, ada.user_id, START)
