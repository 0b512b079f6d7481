"""The databases that a home's content can be copied into: each within one transaction, with
gaia's tables, which hold nothing, and without what their triggers would do to a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, text

from gaia.errors import StoreError
from gaia.files import sync_folder
from gaia.ops.database_copy.rows import TABLES, count_rows
from gaia.ops.database_copy.sources import prepare_postgres
from gaia.store.migrate import upgrade
from gaia.store.processes.homes import HOMES
from gaia.store.revision import REVISION_TABLE, revision_of, table_names
from gaia.store.sqlite.database import open_engine
from gaia.store.sqlite.file import read_file_revision
from gaia.text import counted

MOST_NAMED = 3

_SELF_REFERENCES = text(
    "SELECT CAST(conrelid AS regclass), quote_ident(conname) FROM pg_constraint "
    "WHERE contype = 'f' AND conrelid = confrelid "
    "AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
)


@contextmanager
def sqlite_target(path: Path) -> Iterator[Connection]:
    """A SQLite file that is made, or that has gaia's tables without a row. When the block ends
    well all is committed, else the file is as it was.

    Raises:
        StoreError: It holds something, cannot be written, or is not gaia's.
    """
    was_there, succeeded = path.exists(), False
    read_file_revision(path)
    engine = open_engine(path, connections=1, foreign_keys=False)
    try:
        with engine.begin() as connection:
            remedy = "move it away, together with its '-wal' and '-shm' files if it has them"
            _require_empty(connection, repr(str(path)), remedy)
            upgrade(connection)
            triggers = _take_triggers(connection)
            yield connection
            for trigger in triggers:
                connection.exec_driver_sql(trigger)
            _check_references(connection)
        succeeded = True
    finally:
        engine.dispose()
        if not succeeded and not was_there:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def postgres_target(url: URL) -> Iterator[Connection]:
    """A PostgreSQL database without a table, or with those of gaia's without a row. When the
    block ends well all is committed, else it is as it was.

    Raises:
        StoreError: It holds something, does not answer, its server is too old, another gaia uses
            it, or this one may not write there.
    """
    from gaia.store.postgres.database import PostgresDatabase, inspecting_url, require_fitness
    from gaia.store.postgres.faults import name_of
    from gaia.store.postgres.silence import LONG_SECONDS

    name = name_of(url)
    with inspecting_url(url) as connection:
        require_fitness(connection, name)
    database = PostgresDatabase(url, silent_seconds=LONG_SECONDS)
    try:
        with database.writing() as session:
            connection = session.connection()
            prepare_postgres(connection)
            remedy = "name an empty one, such as createdb makes"
            _require_empty(connection, name, remedy)
            revision_of(connection, name)
            upgrade(connection)
            names = [table.name for table in TABLES]
            _run(connection, [f'ALTER TABLE "{each}" DISABLE TRIGGER USER' for each in names])
            references = [
                f"{table} ALTER CONSTRAINT {name}" for table, name in _of_self(connection)
            ]
            deferred = "DEFERRABLE INITIALLY DEFERRED"
            _run(connection, [f"ALTER TABLE {each} {deferred}" for each in references])
            yield connection
            _run(connection, ["SET CONSTRAINTS ALL IMMEDIATE"])
            _run(connection, [f"ALTER TABLE {each} NOT DEFERRABLE" for each in references])
            _run(connection, [f'ALTER TABLE "{each}" ENABLE TRIGGER USER' for each in names])
    finally:
        database.engine.dispose()


def _of_self(connection: Connection) -> Sequence[tuple[str, str]]:
    """The references of rows to others of the same table, which may be copied after them."""
    return [(table, name) for table, name in connection.execute(_SELF_REFERENCES)]


def _run(connection: Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


def _require_empty(connection: Connection, name: str, remedy: str) -> None:
    tables = table_names(connection)
    if tables and REVISION_TABLE not in tables:
        raise StoreError(
            f"{name} holds tables that are not gaia's, such as {min(tables)!r}, and was left as it "
            f"is: {remedy}"
        )
    rows = count_rows(connection).items()
    found = [f"{table} ({number:,})" for table, number in rows if number and table != HOMES]
    if found:
        others = counted(len(found) - MOST_NAMED, "other table", "other tables")
        more = f" and {others}" if len(found) > MOST_NAMED else ""
        raise StoreError(
            f"{name} is not empty and was left as it is, it has rows in "
            f"{', '.join(found[:MOST_NAMED])}{more}: {remedy}"
        )


def _take_triggers(connection: Connection) -> Sequence[str]:
    """Remove all triggers; returns the statements that make them again."""
    query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    triggers = connection.execute(query).all()
    for name, _ in triggers:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    return [sql for _, sql in triggers]


def _check_references(connection: Connection) -> None:
    broken = connection.execute(text("PRAGMA foreign_key_check")).first()
    if broken is not None:
        raise StoreError(
            f"nothing was copied: rows of {broken[0]!r} refer to missing rows of {broken[2]!r}"
        )
