"""Databases of homes that are copied: filled with what is easily lost on the way, and read as
somebody does who knows nothing of copies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, insert, select, text

from gaia.paths import Home
from gaia.store.base import Base
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemoryTermRow
from gaia.store.opener import open_database
from gaia.store.ops_tables import GrowthRow, JobRunRow
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.people.pairing_tables import StrangerRow
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.sqlite.database import SqliteDatabase
from gaia.store.tables import IdentityRow, UsageRow
from gaia.testing.clock import START
from tests.harness.filled_tables import fill_tables

MANY = 1200
"""More rows than a batch has."""

ODD = "Zoë 🐈‍⬛ \N{RIGHT-TO-LEFT OVERRIDE}שלום\t\r\n'\"\\ %s :x \x7f\uffff"
JSON_VALUES: Sequence[Any] = (None, 1, 0.5, -2.75, 10**15, "1.0", True, [None, {}], {"ä": ["\0"]})

Rows = Mapping[str, Sequence[Sequence[Any]]]


@contextmanager
def opened(home: Home) -> Iterator[Database]:
    """The home's database."""
    database = asyncio.run(open_database(home))
    try:
        yield database
    finally:
        asyncio.run(database.close())


def fill(home: Home) -> None:
    """Put rows into every table of a home."""
    with opened(home) as database:
        with database.writing() as session:
            people = [
                identities.create(session, name, Role.OWNER, now=START) for name in ("Ada", "Bob")
            ]
        for user in people:
            fill_tables(database, user, f"{user.name}: {ODD}")
        with database.writing() as session:
            owner = people[0].user_id
            last = MANY + 1000
            session.execute(
                insert(MemoryRow),
                [
                    {
                        "memory_id": 1001 + number,
                        "user_id": owner,
                        "text": f"{number} {ODD}",
                        "source": "user",
                        "hash": str(number),
                        "length": 1,
                        "sensitive": number % 2 == 0,
                        "valid_from": START + timedelta(microseconds=number),
                        "created_at": START,
                        "updated_at": START,
                    }
                    for number in range(MANY)
                ],
            )
            # Most are told before the one that they refer to.
            later = "UPDATE memories SET superseded_by = :last WHERE memory_id < :last"
            session.execute(text(later), {"last": last})
            session.execute(
                insert(MemoryTermRow),
                [
                    {"user_id": owner, "term": f"{end}{number}", "memory_id": last, "count": 1}
                    for number in range(MANY)
                    for end in ("a", "B", "é", "_", "🐈")
                ],
            )
            session.add_all(
                GrowthRow(
                    user_id=owner,
                    kind="setting",
                    key="k",
                    before=value,
                    after=None,
                    reason="",
                    at=START,
                )
                for value in JSON_VALUES
            )
            session.add_all(
                UsageRow(user_id=owner, day=f"2026-02-0{n}", purpose="turn", model="m", cost=cost)
                for n, cost in enumerate((0.1, 1 / 3, 1e-30, 123456789.123456789))
            )
            session.add(identity(owner, "+491"))
            session.add(JobRunRow(name="backup", due_at=START, attempts=2**40))
            # What nobody has any more, and whose numbers are not given again.
            session.execute(text("DELETE FROM growth WHERE growth_id > 5"))


def rows_of(engine: Engine) -> Rows:
    """All rows, by table."""
    with engine.connect() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }


def read_file(path: Path) -> Rows:
    """What is in a SQLite file."""
    return _read(SqliteDatabase(path))


def read_url(url: URL) -> Rows:
    """What is in a PostgreSQL database."""
    return _read(PostgresDatabase(url))


def tables_at(url: URL) -> Sequence[str]:
    """The tables of a PostgreSQL database."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    return [name for (name,) in run_at(url, query)]


def run_at(url: URL, statement: str) -> Sequence[Any]:
    """Run a statement in a PostgreSQL database; returns the rows if there are any."""
    return _run(PostgresDatabase(url), statement)


def run_in(path: Path, statement: str) -> Sequence[Any]:
    """Run a statement in a SQLite file; returns the rows if there are any."""
    return _run(SqliteDatabase(path), statement)


def stranger(sender: str) -> StrangerRow:
    """Somebody whom nobody knows."""
    return StrangerRow(channel="whatsapp", sender=sender, attempts=0, attempts_since=START)


def identity(user_id: str, sender: str) -> IdentityRow:
    """An address of a user."""
    return IdentityRow(channel="whatsapp", sender=sender, user_id=user_id, created_at=START)


@contextmanager
def quiet(what: str) -> Iterator[Callable[[int, int], None]]:
    """Tells nobody how far it is."""
    yield lambda done, total: None


def _read(database: Database) -> Rows:
    try:
        return rows_of(database.engine)
    finally:
        database.engine.dispose()


def _run(database: Database, statement: str) -> Sequence[Any]:
    def run(connection: Connection) -> Sequence[Any]:
        result = connection.execute(text(statement))
        return result.all() if result.returns_rows else ()

    try:
        with database.engine.begin() as connection:
            return run(connection)
    finally:
        database.engine.dispose()
