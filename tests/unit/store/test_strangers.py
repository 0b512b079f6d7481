"""Strangers: told once an hour, whoever asks, and counted when they try codes."""

from datetime import timedelta

from gaia.messages import Address
from gaia.store.engine import Database
from gaia.store.people import strangers
from gaia.testing.clock import START

EVE, MALLORY = Address("telegram", "eve"), Address("telegram", "mallory")
HOUR = timedelta(hours=1)


async def test_an_address_may_be_told_once_an_hour(database: Database) -> None:
    await database.write(strangers.mark_told, EVE, START)
    with database.reading() as session:
        assert not strangers.may_be_told(session, EVE, START + HOUR - timedelta(seconds=1))
        assert strangers.may_be_told(session, EVE, START + HOUR)
        assert strangers.may_be_told(session, MALLORY, START)


async def test_a_clock_that_was_set_back_silences_nobody(database: Database) -> None:
    with database.writing() as session:
        strangers.mark_told(session, EVE, START + 24 * HOUR)
        assert strangers.may_be_told(session, EVE, START)


async def test_an_address_may_try_five_codes_an_hour(database: Database) -> None:
    with database.writing() as session:
        for _ in range(strangers.ATTEMPTS):
            assert strangers.may_try(session, EVE, START)
        assert not strangers.may_try(session, EVE, START + HOUR - timedelta(seconds=1))
        assert strangers.may_try(session, MALLORY, START)
        assert strangers.may_try(session, Address("whatsapp", "eve"), START)
        assert strangers.attempts_on(session, "telegram", START) == 6
        assert strangers.attempts_on(session, "telegram", START + HOUR) == 0
        assert strangers.may_try(session, EVE, START + HOUR)


async def test_what_no_longer_counts_is_swept(database: Database) -> None:
    with database.writing() as session:
        assert strangers.may_try(session, EVE, START)
        strangers.mark_told(session, MALLORY, START + timedelta(minutes=30))
        strangers.sweep(session, START + HOUR)
        assert strangers.attempts_on(session, "telegram", START) == 0
        later = START + HOUR + timedelta(minutes=29)
        assert not strangers.may_be_told(session, MALLORY, later)
        strangers.forget(session, MALLORY)
        assert strangers.may_be_told(session, MALLORY, later)
