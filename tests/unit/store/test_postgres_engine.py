"""What each connection to a PostgreSQL database has, whatever its server has for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import URL, text
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.store.postgres.connections import open_engine
from gaia.store.postgres.database import PostgresDatabase, bring_up_to_date
from tests.harness.postgres import PostgresServer

DEFAULTS = {
    "default_transaction_isolation": "'repeatable read'",
    "datestyle": "German",
    "statement_timeout": "'9s'",
    "lock_timeout": "'9s'",
}


@pytest.fixture
async def odd(postgres: PostgresServer) -> AsyncIterator[PostgresDatabase]:
    """One with defaults of its own."""
    url = postgres.database()
    for name, value in DEFAULTS.items():
        postgres.run(f"ALTER DATABASE {url.database} SET {name} = {value}")
    database = PostgresDatabase(url)
    yield database
    await database.close()
    postgres.drop(url)


def shown(session: Session, name: str) -> str | None:
    return session.scalar(text(f"SHOW {name}"))


async def test_no_default_of_a_database_counts(odd: PostgresDatabase) -> None:
    assert await odd.read(shown, "transaction_isolation") == "repeatable read"
    for _ in range(2):
        assert await odd.write(shown, "transaction_isolation") == "read committed"
    assert await odd.write(shown, "statement_timeout") == "0"
    assert await odd.write(shown, "lock_timeout") == "30s"
    now = await odd.read(Session.scalar, text("SELECT now()"))
    assert isinstance(now, datetime)
    assert abs(now - datetime.now(UTC)).total_seconds() < 60


async def test_what_its_address_says_does(odd: PostgresDatabase) -> None:
    url = odd.engine.url.update_query_dict({"options": "-c lock_timeout=7s -c datestyle=German"})
    database = PostgresDatabase(url)
    assert await database.write(shown, "lock_timeout") == "7s"
    assert await database.write(shown, "datestyle") == "ISO, MDY"
    await database.close()


async def test_a_way_that_is_lost_is_noticed_soon_unless_the_address_says_more(url: URL) -> None:
    for address, seconds in (
        (url, "15000"),
        (url.update_query_dict({"tcp_user_timeout": "9"}), "9"),
    ):
        engine = open_engine(address)
        with engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            assert driver.info.get_parameters()["tcp_user_timeout"] == seconds
        engine.dispose()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_what_people_write_is_refused(
    postgres: PostgresServer, encoding: str
) -> None:
    url = postgres.url(f"gaia_{encoding.lower()}")
    kind = f"TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
    postgres.run(f"CREATE DATABASE {url.database} {kind}")
    try:
        with pytest.raises(StoreError, match=f"has the encoding {encoding}.*createdb -E UTF8"):
            bring_up_to_date(url)
    finally:
        postgres.drop(url)


@pytest.fixture
def url(postgres: PostgresServer) -> URL:
    return postgres.url("postgres")
