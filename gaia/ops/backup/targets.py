"""The PostgreSQL databases that a dump is restored to: one that is made for a trial and goes
again, and that of a home, whose tables are moved aside first and kept.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DBAPIError

from gaia.errors import BackupError, StoreError
from gaia.store.postgres.connections import open_engine
from gaia.store.postgres.database import inspecting_url
from gaia.store.postgres.faults import name_of
from gaia.store.postgres.silence import LONG_SECONDS
from gaia.store.processes.processes import others_connected
from gaia.store.revision import table_names

TRIAL = "gaia_trial_"


class TrialRefusedError(BackupError):
    """gaia's user may not make a database."""


@contextmanager
def trial_database(url: URL, schema: str) -> Iterator[URL]:
    """An empty database on the same server, whose tables are to be in that schema, and which goes
    when the block ends. Blocks.

    Raises:
        TrialRefusedError: The user may not make one.
        StoreError: The server does not answer.
    """
    name = f"{TRIAL}{secrets.token_hex(6)}"
    with _outside(url) as connection:
        if not connection.execute(_MAY_CREATE).scalar():
            raise TrialRefusedError(f"{name_of(url)}: its user may not make a database for a trial")
        # Whatever the server makes by itself: a text fits into this one.
        kind = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
        connection.execute(text(f'CREATE DATABASE "{name}" {kind}'))
    # What the address says of a schema is for another database.
    trial = url.set(database=name).difference_update_query(["options"])
    try:
        with _outside(trial) as connection:
            connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
            connection.execute(text(f'ALTER DATABASE "{name}" SET search_path = "{schema}"'))
        yield trial
    finally:
        with _outside(url) as connection:
            connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))


_MAY_CREATE = text("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")


def free_target(url: URL | None, *, replace: bool) -> URL:
    """The database that a dump may be restored to: an empty one, or any with `replace`. Blocks.

    Raises:
        BackupError: There is none.
        StoreError: It does not answer.
    """
    if url is None:
        raise BackupError(
            "the backup is of a PostgreSQL database, and none is set to restore it to: set "
            "GAIA_DATABASE_URL to an empty one"
        )
    with inspecting_url(url) as connection:
        tables = table_names(connection)
        if tables and replace and others_connected(connection):
            raise BackupError(f"gaia runs on {name_of(url)}: stop it first")
    if tables and not replace:
        raise BackupError(
            f"{name_of(url)} is not empty: set GAIA_DATABASE_URL to another one, or stop gaia "
            "and add --replace, which moves its tables aside"
        )
    return url


@contextmanager
def moved_aside(url: URL, now: datetime) -> Iterator[str]:
    """Have the tables out of the way, in a schema that is kept and whose name this is; empty if
    there are none. Where the block fails they are back, in the place of what came meanwhile.
    Blocks.

    Raises:
        StoreError: The database does not answer.
        BackupError: They cannot be moved.
    """
    aside = f"gaia_before_{now:%Y%m%d_%H%M%S}"
    moved = _move(url, aside)
    try:
        yield aside if moved else ""
    except BaseException:
        _move_back(url, aside, moved)
        raise


def _move(url: URL, aside: str) -> Sequence[str]:
    """Move all there is; returns what, as a statement names it."""
    with _transaction(url) as connection:
        moved = _present(connection)
        if moved:
            connection.execute(text(f'CREATE SCHEMA "{aside}"'))
        for each in moved:
            connection.execute(text(f'ALTER {each} SET SCHEMA "{aside}"'))
    return moved


def _move_back(url: URL, aside: str, moved: Sequence[str]) -> None:
    with _transaction(url) as connection:
        schema = connection.execute(text("SELECT current_schema()")).scalar()
        for each in _present(connection):
            connection.execute(text(f"DROP {each} CASCADE"))
        if moved:
            connection.execute(text(f'SET LOCAL search_path = "{aside}"'))
            for each in moved:
                connection.execute(text(f'ALTER {each} SET SCHEMA "{schema}"'))
            connection.execute(text(f'DROP SCHEMA "{aside}"'))


def _present(connection: Connection) -> Sequence[str]:
    """The tables, and gaia's functions, those that triggers call among them."""
    tables = [f'TABLE "{name}"' for name in sorted(table_names(connection))]
    return [*tables, *(f"FUNCTION {name}" for name in connection.scalars(_FUNCTIONS))]


_FUNCTIONS = text(
    "SELECT oid::regprocedure::text FROM pg_proc "
    "WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
    "AND NOT EXISTS "
    "(SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')"
)


@contextmanager
def _transaction(url: URL) -> Iterator[Connection]:
    engine = open_engine(url, connections=1)
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as exc:
        raise BackupError(f"the tables of {name_of(url)} cannot be moved: {exc.orig}") from exc
    finally:
        engine.dispose()


@contextmanager
def _outside(url: URL) -> Iterator[Connection]:
    """A connection without a transaction."""
    engine = open_engine(url, connections=1, silent_seconds=LONG_SECONDS)
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield connection
    except DBAPIError as exc:
        raise StoreError(f"{name_of(url)} refuses: {exc.orig}") from exc
    finally:
        engine.dispose()
