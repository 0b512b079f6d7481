"""The database of a home: what is in it, and opened to be copied, locked against all who write."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import URL, Connection, text

from gaia.errors import StoreError
from gaia.ops.database_copy.rows import WITHOUT_NUL, count_rows, is_postgres, replace_nul
from gaia.paths import Home
from gaia.store.location import database_url, there_is_one
from gaia.store.opener import inspecting, open_database, read_revision
from gaia.store.processes.processes import others_connected

WAITING = "10min"
"""How long an end of a copy may ask nothing while the other one is at work."""

_IDENTITY = text("SELECT current_database(), pg_postmaster_start_time()")


@dataclass(frozen=True, slots=True)
class Inventory:
    """A database: what it is called, the revision of its tables, and their rows. `revision` is
    None where there are no tables."""

    name: str
    revision: str | None
    rows: Mapping[str, int]


def take_inventory(home: Home) -> Inventory:
    """Count what is in the home's database, which is left as it is. Blocks.

    Raises:
        StoreError: It is damaged, not gaia's, cannot be read, or does not answer.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    name = _name_of(home)
    revision = read_revision(home) if there_is_one(home) else None
    if revision is None:
        return Inventory(name, None, {})
    with inspecting(home) as connection:
        return Inventory(name, revision, count_rows(connection))


def _name_of(home: Home) -> str:
    url = database_url(home)
    if url is None:
        return str(home.database)
    from gaia.store.postgres.faults import name_of

    return name_of(url)


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
