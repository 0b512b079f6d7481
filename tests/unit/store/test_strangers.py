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


async def test_an_address_may_try_five_codes_an_hour(database: Database) -> None:
    async with database.write() as session:
        for _ in range(strangers.ATTEMPTS):
            assert await strangers.may_try(session, EVE, START)
        assert not await strangers.may_try(session, EVE, START + HOUR - timedelta(seconds=1))
        assert await strangers.may_try(session, MALLORY, START)
        assert await strangers.may_try(session, Address("whatsapp", "eve"), START)
        assert await strangers.attempts_on(session, "telegram", START) == 6
        assert await strangers.attempts_on(session, "telegram", START + HOUR) == 0
        assert await strangers.may_try(session, EVE, START + HOUR)


async def test_what_no_longer_counts_is_swept(database: Database) -> None:
    async with database.write() as session:
        assert await strangers.may_try(session, EVE, START)
        await strangers.mark_told(session, MALLORY, START + timedelta(minutes=30))
        await strangers.sweep(session, START + HOUR)
        assert await strangers.attempts_on(session, "telegram", START) == 0
        later = START + HOUR + timedelta(minutes=29)
        assert not await strangers.may_be_told(session, MALLORY, later)
        await strangers.forget(session, MALLORY)
        assert await strangers.may_be_told(session, MALLORY, later)
