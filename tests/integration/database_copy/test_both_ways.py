"""A home's content goes from gaia.db to PostgreSQL and back, and is the same in each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy import URL, text

from gaia.ops.database_copy.copy import copy_database
from gaia.ops.database_copy.numbers import last_numbers
from gaia.paths import Home
from gaia.store.memory_tables import MemoryRow
from gaia.store.ops_tables import GrowthRow
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.postgres.database import PostgresDatabase
from gaia.testing.clock import START
from tests.harness.copies import (
    MANY,
    identity,
    opened,
    quiet,
    read_file,
    read_url,
    run_at,
    run_in,
    stranger,
    tables_at,
)
from tests.harness.postgres import PostgresServer

Use = Callable[[URL | None], None]


def test_rows_of_every_table_are_the_same_there_and_back(
    full_home: Home, bare: URL, use: Use
) -> None:
    before = read_file(full_home.database)
    content = full_home.database.read_bytes()
    assert all(before.values())
    assert {*before} == {*run_tables(full_home)}

    copied = copy_database(full_home, bare, quiet)
    assert copied.rows == {name: len(rows) for name, rows in before.items()}
    assert copied.changed_texts == {}
    assert read_url(bare) == before
    assert full_home.database.read_bytes() == content

    use(bare)
    full_home.database.rename(full_home.root / "old.db")
    assert copy_database(full_home, None, quiet).rows == copied.rows
    assert read_file(full_home.database) == before
    of_master = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
    kept = "SELECT * FROM sqlite_sequence ORDER BY 1"
    for query in (of_master, kept, "SELECT before, typeof(before) FROM growth ORDER BY growth_id"):
        assert run_in(full_home.database, query) == run_in(full_home.root / "old.db", query)
    assert full_home.database.stat().st_mode & 0o077 == 0


def run_tables(home: Home) -> list[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "AND name != 'alembic_version'"
    )
    return [name for (name,) in run_in(home.database, query)]


def test_a_database_with_empty_tables_of_gaias_is_filled(full_home: Home, empty: URL) -> None:
    copy_database(full_home, empty, quiet)
    assert read_url(empty) == read_file(full_home.database)


def test_from_one_postgresql_to_another(full_home: Home, bare: URL, empty: URL, use: Use) -> None:
    before = read_file(full_home.database)
    copy_database(full_home, bare, quiet)
    use(bare)
    known = ("homes VALUES ('a', 'host', now())", "home_wipes VALUES ('a', 'ada')")
    for values in known:
        run_at(bare, f"INSERT INTO {values}")
    run_at(empty, "INSERT INTO homes VALUES ('b', 'host', now())")
    copy_database(full_home, empty, quiet)
    assert read_url(empty) == before
    assert run_at(empty, "SELECT home FROM homes ORDER BY home") == [("a",), ("b",)]
    assert run_at(empty, "SELECT home, user_id FROM home_wipes") == [("a", "ada")]


def test_a_number_is_never_given_twice(full_home: Home, bare: URL, use: Use) -> None:
    (kept,) = run_in(full_home.database, "SELECT seq FROM sqlite_sequence WHERE name = 'growth'")
    (last,) = run_in(full_home.database, "SELECT max(growth_id) FROM growth")
    assert kept[0] > last[0]
    copy_database(full_home, bare, quiet)
    use(bare)
    assert added(full_home) == kept[0] + 1

    full_home.database.unlink()
    run_at(bare, f"DELETE FROM growth WHERE growth_id > {last[0]}")
    copy_database(full_home, None, quiet)
    use(None)
    assert added(full_home) == kept[0] + 2


def added(home: Home) -> int:
    """The number of a new row."""
    with opened(home) as database, database.writing() as session:
        (owner,) = session.execute(text("SELECT min(user_id) FROM users")).one()
        values = {"user_id": owner, "kind": "k", "key": "k", "reason": "", "at": START}
        row = GrowthRow(**values, before=1, after=2)
        session.add(row)
        session.flush()
        return row.growth_id


def test_what_watches_over_the_tables_does_so_again(full_home: Home, bare: URL, use: Use) -> None:
    copy_database(full_home, bare, quiet)
    use(bare)
    full_home.database.unlink()
    copy_database(full_home, None, quiet)
    versions = "SELECT user_id, memory_version FROM users ORDER BY 1"
    before = run_in(full_home.database, versions)
    assert before == run_at(bare, versions)
    assert max(version for _, version in before) >= MANY
    change = "UPDATE memories SET pinned = true WHERE memory_id = 1001"
    refused = "DELETE FROM audit"
    broken = "UPDATE memories SET superseded_by = 77777 WHERE memory_id = 1001"
    for run, place in ((run_at, bare), (run_in, full_home.database)):
        run(place, change)
        assert sum(version for _, version in run(place, versions)) == 1 + sum(
            version for _, version in before
        )
        for statement in (refused, broken):
            with pytest.raises(Exception, match=r"never deleted|(?i:foreign key)"):
                run(place, statement)
    deferrable = "SELECT conname FROM pg_constraint WHERE condeferrable"
    assert run_at(bare, deferrable) == []
    assert run_at(bare, "SELECT tgname FROM pg_trigger WHERE tgenabled != 'O'") == []


def test_a_nul_becomes_a_replacement_character_and_is_told(full_home: Home, bare: URL) -> None:
    with opened(full_home) as database, database.writing() as session:
        user = identities.create(session, "Eve", Role.MEMBER, now=START)
        # In the order of bytes a NUL comes first, and what replaces it last.
        session.add_all(identity(user.user_id, f"a{middle}b") for middle in "\0\1é")
        session.add_all([stranger("n\0"), stranger("n"), stranger("\0\0n")])
        memory = session.get_one(MemoryRow, 1001)
        memory.text = "one\0two\0"
    copied = copy_database(full_home, bare, quiet)
    assert copied.changed_texts == {"identities": 1, "strangers": 2, "memories": 1}
    senders = run_at(bare, "SELECT sender FROM identities WHERE sender LIKE 'a%'")
    assert {sender for (sender,) in senders} == {"a\ufffdb", "a\1b", "aéb"}
    assert run_at(bare, "SELECT text FROM memories WHERE memory_id = 1001") == [
        ("one\ufffdtwo\ufffd",)
    ]


def test_an_old_file_is_brought_up_to_date_first(full_home: Home, bare: URL) -> None:
    run_in(full_home.database, "DROP INDEX ix_inbox_corrects")
    for column in (
        "archived_turns.context",
        "conversations.sender",
        "inbox.context",
        "inbox.corrects",
        "inbox.replied_to",
        "memories.told_by_heir",
        "outbox.is_farewell",
        "outbox.reminder_id",
        "outbox.was_due",
    ):
        table, name = column.split(".")
        run_in(full_home.database, f"ALTER TABLE {table} DROP COLUMN {name}")
    for table in ("page_links", "page_sessions"):
        run_in(full_home.database, f"DROP TABLE {table}")
    run_in(full_home.database, "UPDATE alembic_version SET version_num = '0015'")
    copy_database(full_home, bare, quiet)
    assert read_url(bare) == read_file(full_home.database)


def test_the_numbers_of_a_database_without_rows(
    full_home: Home, postgres: PostgresServer, use: Use
) -> None:
    use(postgres.database())
    target = postgres.database("template1")
    copy_database(full_home, target, quiet)
    database = PostgresDatabase(target)
    with database.engine.connect() as connection:
        assert {*last_numbers(connection).values()} == {0}
    asyncio.run(database.close())
    assert "memories" in tables_at(target)
