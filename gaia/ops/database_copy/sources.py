"""The database that is copied: opened as always, and locked against all who write."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, text

from gaia.errors import StoreError
from gaia.ops.database_copy.rows import WITHOUT_NUL, is_postgres, replace_nul
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.processes.processes import others_connected

WAITING = "10min"
"""How long an end of a copy may ask nothing while the other one is at work."""

_IDENTITY = text("SELECT current_database(), pg_postmaster_start_time()")


@contextmanager
def source_of(home: Home) -> Iterator[Connection]:
    """The home's database at the present revision. Nobody writes into it meanwhile.

    Raises:
        StoreError: It cannot be read, does not answer, or another gaia uses it.
    """
    database = asyncio.run(open_database(home))
    try:
        with database.writing() as session:
            connection = session.connection()
            if is_postgres(connection):
                prepare_postgres(connection)
            else:
                driver = connection.connection.driver_connection
                if not isinstance(driver, sqlite3.Connection):
                    raise TypeError("the source has no connection of SQLite's")
                driver.create_function(WITHOUT_NUL, 1, replace_nul, deterministic=True)
            yield connection
    finally:
        database.engine.dispose()


def prepare_postgres(connection: Connection) -> None:
    """Let a connection wait for the other end of a copy.

    Raises:
        StoreError: Another gaia is connected to the same database.
    """
    setting = text("SELECT set_config('idle_in_transaction_session_timeout', :longest, true)")
    connection.execute(setting, {"longest": WAITING})
    if others := others_connected(connection):
        raise StoreError(
            f"another gaia uses the PostgreSQL database ({others} of its connections are "
            "open): stop it first, so that it writes nothing that is not copied"
        )


def is_at(connection: Connection, url: URL) -> bool:
    """Whether a connection is to the database at an address, however that one is written.

    Raises:
        StoreError: It does not answer.
    """
    if not is_postgres(connection):
        return False
    from gaia.store.postgres.database import inspecting_url

    with inspecting_url(url) as other:
        one, another = (tuple(each.execute(_IDENTITY).one()) for each in (connection, other))
    return one == another
