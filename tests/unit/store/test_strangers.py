"""Strangers: told once an hour, whoever asks, and counted when they try codes."""

from datetime import timedelta

from gaia.messages import Address
from gaia.store import strangers
from gaia.store.engine import Database
from gaia.testing.clock import START

EVE, MALLORY = Address("telegram", "eve"), Address("telegram", "mallory")
HOUR = timedelta(hours=1)


async def test_an_address_may_be_told_once_an_hour(database: Database) -> None:
    async with database.write() as session:
        await strangers.mark_told(session, EVE, START)
    async with database.read() as session:
        assert not await strangers.may_be_told(session, EVE, START + HOUR - timedelta(seconds=1))
        assert await strangers.may_be_told(session, EVE, START + HOUR)
        assert await strangers.may_be_told(session, MALLORY, START)


async def test_a_clock_that_was_set_back_silences_nobody(database: Database) -> None:
    async with database.write() as session:
        await strangers.mark_told(session, EVE, START + 24 * HOUR)
        assert await strangers.may_be_told(session, EVE, START)


async def test_attempts_count_for_an_hour(database: Database) -> None:
    async with database.write() as session:
        counts = [await strangers.count_attempt(session, EVE, START) for _ in range(3)]
        assert counts == [1, 2, 3]
        assert await strangers.count_attempt(session, MALLORY, START) == 1
        assert await strangers.count_attempt(session, Address("whatsapp", "eve"), START) == 1
        assert await strangers.attempts_on(session, "telegram", START) == 4
        assert await strangers.attempts_on(session, "telegram", START + HOUR) == 0
        assert await strangers.count_attempt(session, EVE, START + HOUR) == 1


async def test_what_no_longer_counts_is_swept(database: Database) -> None:
    async with database.write() as session:
        await strangers.count_attempt(session, EVE, START)
        await strangers.mark_told(session, MALLORY, START + timedelta(minutes=30))
        await strangers.sweep(session, START + HOUR)
        assert await strangers.count_attempt(session, EVE, START) == 1
        later = START + HOUR + timedelta(minutes=29)
        assert not await strangers.may_be_told(session, MALLORY, later)
        await strangers.forget(session, MALLORY)
        assert await strangers.may_be_told(session, MALLORY, later)
