"""Migrations on PostgreSQL: they build what `tables` declares, and are all or nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, MetaData, make_url, text
from sqlalchemy.exc import ProgrammingError

from gaia.paths import Home
from gaia.store.base import NAMING
from gaia.store.location import database_url
from gaia.store.migrate import MIGRATIONS, upgrade
from gaia.store.migrations import HEAD
from gaia.store.postgres.connections import open_engine
from gaia.store.postgres.database import bring_up_to_date, inspecting_url, read_revision_of
from gaia.store.tables import Base
from tests.harness.postgres import PostgresServer

pytestmark = pytest.mark.postgres

COLUMNS = (
    "SELECT table_name || '.' || column_name, "
    "(data_type, is_nullable, collation_name, column_default IS NULL)::text "
    "FROM information_schema.columns WHERE table_schema = 'public'"
)
CONSTRAINTS = (
    "SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace AND contype != 'n'"
)
"""Which columns may be empty is told with them: such a constraint keeps its name when its column
gets another."""

APART = re.compile(
    "alembic_version|processes|holders|shared_settings|homes|home_forgets|home_wipes"
)
"""Tables that PostgreSQL alone has, which no class declares: see `gaia.store.processes.processes`,
`shared_settings` and `homes`."""

INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"


@pytest.fixture
def current(home: Home) -> Iterator[Connection]:
    """A database of this version."""
    url = database_url(home)
    assert url is not None
    with inspecting_url(url) as connection:
        yield connection


def schema(connection: Connection) -> dict[str, str]:
    """All columns, constraints and indexes, by their names."""
    found = {
        name: declared
        for query in (COLUMNS, CONSTRAINTS, INDEXES)
        for name, declared in connection.execute(text(query))
    }
    return {name: what for name, what in found.items() if not APART.search(name)}


def declared_tables() -> MetaData:
    """What `tables` declares: of an index it tells SQLite alone which rows it holds."""
    metadata = MetaData(naming_convention=NAMING)
    for table in Base.metadata.sorted_tables:
        for index in table.to_metadata(metadata).indexes:
            where = index.dialect_options["sqlite"]["where"]
            index.dialect_options["postgresql"]["where"] = where
    return metadata


def test_the_migrations_build_exactly_the_declared_tables(
    current: Connection, postgres: PostgresServer
) -> None:
    engine = open_engine(postgres.database("template1"), connections=1)
    with engine.begin() as connection:
        declared_tables().create_all(connection)
        assert schema(current) == schema(connection)
    engine.dispose()


def test_texts_are_ordered_as_in_sqlite_whatever_the_server_s_language(
    current: Connection,
) -> None:
    columns = {name: what for name, what in schema(current).items() if what.startswith("(text,")}
    assert columns
    assert {what.split(",")[2] for what in columns.values()} == {"C"}


def test_numbers_are_as_wide_as_sqlite_s(current: Connection) -> None:
    assert not [name for name, what in schema(current).items() if re.match(r"\(integer", what)]


def test_a_migration_that_fails_leaves_nothing(postgres: PostgresServer, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "versions" / "next.py").write_text(
        "from alembic import op\n"
        f'revision, down_revision = "next", "{HEAD}"\n'
        'def upgrade():\n    op.execute("DROP TABLE no_such_table")\n'
    )
    url = make_url(postgres.database("template1"))
    engine = open_engine(url, connections=1)
    with (
        pytest.raises(ProgrammingError, match="no_such_table"),
        engine.begin() as connection,
    ):
        upgrade(connection, folder)
    engine.dispose()
    assert read_revision_of(url) is None
    bring_up_to_date(url)
    assert read_revision_of(url) == HEAD
