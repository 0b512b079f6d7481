"""What becomes of connections to PostgreSQL."""

from __future__ import annotations

from sqlalchemy import text

from gaia.store.postgres.database import PostgresDatabase
from tests.harness.postgres import PostgresServer

END_OTHERS = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


CONNECTED = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def _one(session):
    return session.execute(text("SELECT 1")).scalar()


async def test_connections_that_were_lost_meanwhile_are_made_again(postgres: PostgresServer):
    url = postgres.database()
    database, other = PostgresDatabase(url), PostgresDatabase(url)
    try:
        assert await database.read(_one) == await database.write(_one) == 1
        await other.write(lambda session: session.execute(END_OTHERS).all())
        assert await database.read(_one) == await database.write(_one) == 1
    finally:
        await database.close()
        await other.close()


async def test_connections_that_the_server_ends_when_idle_are_made_again(postgres: PostgresServer):
    url = postgres.database()
    idle = url.update_query_dict({"options": "-c idle_session_timeout=50ms"})
    database, other = PostgresDatabase(idle), PostgresDatabase(url)
    try:
        for _ in range(2):
            assert await database.write(_one) == await database.read(_one) == 1
            while await other.read(lambda session: session.scalar(CONNECTED)):
                pass
    finally:
        await database.close()
        await other.close()
