"""The database of a test's home, whichever it is: opened with what a test makes of it, asked,
changed, copied, and searched byte by byte.

With `--postgres` each test's is one of its own, which the environment names. A home that is
told of in its own `.env` keeps its database wherever it is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from os import getpid
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import URL, Connection, text

from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.location import VARIABLE, database_url
from gaia.store.sqlite import database as sqlite

T = TypeVar("T", bound=Database)

_NUMBERS = count(1)


def url_of(home: Home) -> URL | None:
    """The PostgreSQL database of a home, that of its own first; None for its gaia.db."""
    return database_url(home, {}) or database_url(home)


def opened(home: Home, part: type[T] | None = None, **fields: Any) -> T:
    """The database of a home, which has its tables, and does some of it as `part` does, whose
    `fields` are set."""
    url = url_of(home)
    kind: type[Database] = sqlite.SqliteDatabase
    place: Path | URL = home.database
    if url is not None:
        # Its driver is an extra, which the rest of the suite does not need.
        from gaia.store.postgres.database import PostgresDatabase

        kind, place = PostgresDatabase, url
    if part is not None:
        kind = type(part.__name__, (part, kind), {})
    database = cast("type[Any]", kind)(place)
    for name, value in fields.items():
        setattr(database, name, value)
    return cast(T, database)


@contextmanager
def connected(
    home: Home, *, foreign_keys: bool = True, reads: bool = False
) -> Iterator[Connection]:
    """A connection of one's own to the database of a home. What is done with it is committed,
    and other writes wait, unless it only `reads`."""
    url = url_of(home)
    if url is None:
        engine = sqlite.open_engine(home.database, connections=1, foreign_keys=foreign_keys)
    else:
        from gaia.store.postgres.connections import open_engine

        engine = open_engine(url, connections=1)
    try:
        with engine.execution_options(**{sqlite.READ_ONLY: reads}).begin() as connection:
            if url is not None and not reads:
                from gaia.store.postgres.database import WRITE_LOCK

                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITE_LOCK})
            yield connection
    finally:
        engine.dispose()


def rows(home: Home, query: str, **values: object) -> list[tuple[Any, ...]]:
    """What a query finds in the database of a home."""
    with connected(home, reads=True) as connection:
        return [tuple(row) for row in connection.execute(text(query), values)]


def give_database(home: Home, url: URL) -> None:
    """Have a home keep what it keeps there, whoever opens it."""
    home.env_file.write_text(f"{VARIABLE}={url.render_as_string(hide_password=False)}\n")
    home.env_file.chmod(0o600)


def copy_database(home: Home, copy: Home) -> None:
    """Give a copy of a home's files a copy of its database."""
    url = database_url(home, {})
    if url is None:
        return
    give_database(copy, another_database(url, url.database or ""))


def another_database(url: URL, template: str) -> URL:
    """A new database on the server of a PostgreSQL database, which is as the template."""
    import psycopg

    name = f"gaia_copy_{getpid()}_{next(_NUMBERS)}"
    server = f"host={url.query['host']} user={url.username} dbname=postgres"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    return url.set(database=name)


def content(url: URL) -> bytes:
    """Every byte of a PostgreSQL database: of the files of its tables, of those of the server's
    own and of all indexes, and each row as text, since a long text is stored shorter."""
    import psycopg

    server = f"host={url.query['host']} user={url.username} dbname={url.database}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET bytea_output = escape")
        # Pages that were changed are in memory alone, and files that were replaced still there.
        connection.execute("CHECKPOINT")
        (number,) = connection.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone() or (0,)
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
        ).fetchall()
        texts = [
            value.encode()
            for (table,) in tables
            for (value,) in connection.execute(f'SELECT t::text FROM "{table}" t')
        ]
    folder = Path(str(url.query["host"])).parent / "data" / "base" / str(number)
    return b"\n".join([*(file.read_bytes() for file in sorted(folder.iterdir())), *texts])
