"""What two processes on one PostgreSQL database would both do is done once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import func, select

from gaia.paths import Home
from gaia.store.location import VARIABLE
from gaia.store.tables import OutboxRow
from gaia.testing.clock import FakeClock
from tests.harness.postgres import PostgresServer

HOUR = 3600


@pytest.fixture
def homes(tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> list[Home]:
    """Two homes on one database."""
    monkeypatch.setenv(VARIABLE, postgres.database().render_as_string(hide_password=False))
    homes = [Home(tmp_path / name) for name in ("one", "two")]
    for home in homes:
        home.create()
    return homes


async def said(core, words: str) -> int:
    """How many chunks hold these words."""
    with core.database.reading() as session:
        holds = OutboxRow.text.contains(words)
        return session.scalar(select(func.count()).select_from(OutboxRow).where(holds)) or 0


async def test_a_reminder_is_said_once_whoever_looks(homes, core_on):
    clock = FakeClock()
    first, second = homes
    async with (
        core_on(first, clock=clock) as one,
        core_on(second, clock=clock, senders=()) as two,
    ):
        for number in range(10):
            await one.say(f"/remind in one hour feed cat {number}")
        clock.advance(HOUR)
        both = (one.app.reminder_worker, two.app.reminder_worker)
        await asyncio.gather(*(each.say_due() for each in both for _ in range(3)))
        assert await said(one, "Reminder: feed cat") == 10


async def test_a_message_that_two_receive_is_taken_once(homes, core_on):
    clock = FakeClock()
    first, second = homes
    async with (
        core_on(first, clock=clock) as one,
        core_on(second, clock=clock, senders=()) as two,
    ):
        receipts = await asyncio.gather(
            *(
                core.channel.say("hello", provider_message_id=f"m{number}")
                for number in range(10)
                for core in (one, two)
            )
        )
        kinds = [receipt.kind for receipt in receipts]
        assert sorted(kinds) == sorted(["accepted"] * 10 + ["duplicate"] * 10)
