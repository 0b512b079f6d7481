"""A reminder over Telegram, set in plain words: it comes once, though gaia is killed while it
says it, and at the same time of day after the clocks have changed."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from gaia.messages import REPEAT_MARK
from gaia.store.memory_tables import MemoryKind, MemoryRow
from tests.harness.databases import connected
from tests.harness.effort import rounds
from tests.harness.household import PEOPLE, Household

pytestmark = pytest.mark.asyncio(loop_scope="session")

LISBON = ZoneInfo("Europe/Lisbon")
HALF_A_YEAR = timedelta(days=182)
KILLS = rounds(3, thorough=60)


def make_due(household: Household, due_at: datetime) -> None:
    """Let a reminder have been due at a time, as another process writes it."""
    with connected(household.home) as connection:
        connection.execute(
            update(MemoryRow)
            .where(MemoryRow.kind == MemoryKind.REMINDER)
            .values(due_at=due_at, notified_at=None)
        )


def said(household: Household) -> list[str]:
    texts = household.telegram.texts(household.telegram.person(PEOPLE["ada"]))
    return [each for each in texts if each.removeprefix(REPEAT_MARK).startswith("Reminder")]


async def test_a_reminder_comes_once_though_gaia_is_killed_while_it_says_it(
    household: Household,
) -> None:
    await household.furnish()
    async with household.awake():
        assert "Europe/Lisbon" in await household.on_telegram("ada", "/timezone Lisbon")
        promise = await household.on_telegram("ada", "remind me every day at 9:00 to walk the dog")
        assert "tomorrow at 09:00 and every day" in promise or "today at 09:00" in promise
    for life in range(KILLS):
        # The clocks have changed since the time at which it was due last.
        before = (datetime.now(LISBON) - HALF_A_YEAR).replace(hour=9, minute=0, second=0)
        make_due(household, before)
        seen = len(said(household))
        await household.daemons.start(household.home)
        await asyncio.sleep(random.uniform(0.3, 2.5))
        household.daemons.kill()
        async with household.awake():
            await household.until(lambda seen=seen: len(said(household)) > seen)
            await household.on_telegram("ada", f"hello {life}")
        new = said(household)[seen:]
        # Killed before the request was out, gaia cannot know that: the one copy is marked.
        assert sum(not each.startswith(REPEAT_MARK) for each in new) <= 1
        (reminder,) = {each.removeprefix(REPEAT_MARK) for each in new}
        assert "walk the dog" in reminder
        assert "it was due" in reminder
    ((due_at, recurrence),) = household.rows(
        "SELECT due_at, recurrence FROM memories WHERE kind = 'reminder'"
    )
    following = datetime.fromisoformat(str(due_at)).replace(tzinfo=UTC).astimezone(LISBON)
    assert (following.hour, following.minute) == (9, 0)
    assert timedelta(0) < following - datetime.now(LISBON) <= timedelta(days=1, hours=1)
    assert recurrence.endswith("RRULE:FREQ=DAILY")
