"""What is not copied, and what is not copied into."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from sqlalchemy import URL

from gaia.errors import AlreadyRunningError, NewerStoreError, StoreError
from gaia.ops.database_copy.copy import copy_database
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from tests.harness.copies import opened, quiet, run_at, run_in, tables_at
from tests.harness.postgres import PostgresServer

Use = Callable[[URL | None], None]


def test_not_while_the_daemon_runs(full_home: Home, bare: URL) -> None:
    with DaemonLock(full_home), pytest.raises(AlreadyRunningError, match="stop that one first"):
        copy_database(full_home, bare, quiet)
    assert tables_at(bare) == []


def test_not_while_a_gaia_of_another_home_uses_it(
    full_home: Home, bare: URL, empty: URL, use: Use
) -> None:
    use(bare)
    with opened(full_home) as database:
        with database.reading() as session:
            session.connection()
        with pytest.raises(StoreError, match="another gaia uses the PostgreSQL database"):
            copy_database(full_home, empty, quiet)
        use(empty)
        with pytest.raises(StoreError, match="another gaia uses the PostgreSQL database"):
            copy_database(full_home, bare, quiet)


def test_not_what_is_not_there(tmp_path, bare: URL) -> None:
    home = Home(tmp_path / "none")
    with pytest.raises(StoreError, match="there is nothing to copy"):
        copy_database(home, bare, quiet)
    assert not home.root.exists()


def test_not_into_where_it_is(full_home: Home, empty: URL, use: Use) -> None:
    with pytest.raises(StoreError, match="is where gaia keeps what it knows now"):
        copy_database(full_home, None, quiet)
    use(empty)
    with pytest.raises(StoreError, match="source and target are the same"):
        copy_database(full_home, empty.update_query_dict({"connect_timeout": "9"}), quiet)


def test_not_into_what_is_too_old(full_home: Home, bare: URL, postgres: PostgresServer) -> None:
    postgres.pretend(bare, 12)
    with pytest.raises(StoreError, match="is of PostgreSQL 12, which is too old: move it to"):
        copy_database(full_home, bare, quiet)
    assert tables_at(bare) == []


def test_not_into_what_holds_something(full_home: Home, empty: URL, use: Use) -> None:
    copy_database(full_home, empty, quiet)
    told = (
        r"^the PostgreSQL database '\w+' at this machine is not empty and was left as it is, it "
        r"has rows in archived_terms \(2\), archived_turns \(2\), audit \(2\) and \d+ other "
        "tables: name an empty one"
    )
    with pytest.raises(StoreError, match=told):
        copy_database(full_home, empty, quiet)
    use(empty)
    before = full_home.database.read_bytes()
    told = r"gaia\.db' is not empty and was left .* \(2\), .*: move it away, together with"
    with pytest.raises(StoreError, match=told):
        copy_database(full_home, None, quiet)
    assert full_home.database.read_bytes() == before


def test_not_into_what_is_somebody_elses(full_home: Home, bare: URL, use: Use) -> None:
    run_at(bare, "CREATE TABLE cakes (name text)")
    with pytest.raises(StoreError, match="holds tables that are not gaia's, such as 'cakes'"):
        copy_database(full_home, bare, quiet)
    assert tables_at(bare) == ["cakes"]


def test_not_into_what_a_newer_gaia_made(full_home: Home, empty: URL) -> None:
    run_at(empty, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerStoreError, match="'9999'"):
        copy_database(full_home, empty, quiet)


def test_not_into_a_file_that_is_no_database(full_home: Home, empty: URL, use: Use) -> None:
    use(empty)
    full_home.database.write_bytes(b"a cake recipe" * 100)
    with pytest.raises(StoreError, match="is damaged"):
        copy_database(full_home, None, quiet)
    assert full_home.database.read_bytes() == b"a cake recipe" * 100
    full_home.database.unlink()
    run_in(full_home.database, "CREATE TABLE cakes (name TEXT)")
    with pytest.raises(StoreError, match="such as 'cakes'"):
        copy_database(full_home, None, quiet)


def test_not_into_what_does_not_answer(full_home: Home, postgres: PostgresServer) -> None:
    with pytest.raises(StoreError, match="does not exist") as refused:
        copy_database(full_home, postgres.url("nowhere").set(password="hush"), quiet)
    assert "hush" not in str(refused.value)


def test_rows_that_refer_to_none_are_told(full_home: Home, bare: URL) -> None:
    with closing(sqlite3.connect(full_home.database)) as connection:
        connection.execute("UPDATE memories SET superseded_by = 77777 WHERE memory_id = 1001")
        connection.commit()
    with pytest.raises(StoreError, match=r"nothing was copied: .*fk_memories_superseded_by"):
        copy_database(full_home, bare, quiet)
    assert tables_at(bare) == []
