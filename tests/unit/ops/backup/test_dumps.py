"""Backups of a gaia whose tables are in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from gaia.errors import BackupDamagedError, BackupError
from gaia.memory import forget, ledger
from gaia.ops.backup.archives import archives_in
from gaia.ops.backup.backups import make_nightly, replace_outdated
from gaia.ops.backup.contents import Contents
from gaia.ops.backup.create import Made, Wanted, make_backup
from gaia.ops.backup.dumps import dump_database, missing_program, read_list, restore_dump
from gaia.ops.backup.replace import replace_home
from gaia.ops.backup.restore import restore_backup
from gaia.ops.backup.verify import verify_backup
from gaia.ops.doctor.backups import backup_check
from gaia.ops.forget_worker import carry_out_apart
from gaia.paths import Home
from gaia.settings.schema import BackupSettings
from gaia.store import audit
from gaia.store.engine import Database
from gaia.store.location import VARIABLE
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock
from tests.harness.book import Book
from tests.harness.postgres import PostgresServer
from tests.harness.postgres_way import STILL, way_to

MEMORY = "the spare key is under the blue pot"
ADA = Contents(users=1, memories=1, messages=0)


@pytest.fixture(autouse=True)
def on_path(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(postgres.bin), prepend=os.pathsep)


@pytest.fixture
def url(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> URL:
    url = postgres.database()
    monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))
    return url


@pytest.fixture
async def database(url: URL, tmp_path: Path) -> AsyncIterator[Database]:
    """Ada's, in which gaia remembers one thing."""
    home = Home(tmp_path / "home")
    home.create()
    home.settings_file.write_text("backup:\n  hour: 5\n")
    database = await open_database(home)
    ada = await Users(database, FakeClock()).create("Ada", Role.OWNER)
    await Book(database).keep(ada, MEMORY)
    yield database
    await database.close()


@pytest.fixture
def home(database: Database, tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
async def made(home: Home, tmp_path: Path) -> Made:
    (tmp_path / "backups").mkdir()
    return await make_backup(home, Wanted(tmp_path / "backups"), FakeClock())


def databases(url: URL) -> set[str]:
    return set(asked(url, "SELECT datname FROM pg_database"))


def asked(url: URL, query: str) -> list[str]:
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address) as connection:
        return [row[0] for row in connection.execute(query.encode())]


async def test_a_backup_holds_a_dump_and_says_so(made: Made) -> None:
    assert made.manifest.database == "postgresql"
    assert [entry.name for entry in made.manifest.files] == ["gaia.dump", "gaia.yaml"]


async def test_it_is_verified_by_a_restore_that_leaves_nothing(made: Made, url: URL) -> None:
    before = databases(url)
    verified = await verify_backup(made.path, None, server=url)
    assert (verified.contents, verified.untried) == (ADA, "")
    assert databases(url) == before


async def test_without_a_server_or_the_right_only_its_list_is_read(
    made: Made, url: URL, postgres: PostgresServer
) -> None:
    verified = await verify_backup(made.path, None)
    assert verified.contents is None
    assert "no PostgreSQL database is set" in verified.untried
    postgres.run("CREATE ROLE humble LOGIN")
    try:
        verified = await verify_backup(made.path, None, server=url.set(username="humble"))
    finally:
        postgres.run("DROP ROLE humble")
    assert verified.contents is None
    assert "its user may not make a database" in verified.untried


async def test_it_is_restored_into_an_empty_database_and_another_home(
    made: Made, postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = postgres.database("template0")
    monkeypatch.setenv(VARIABLE, empty.render_as_string(hide_password=False))
    place = Home(tmp_path / "new")
    restored = await restore_backup(made.path, None, place, FakeClock())
    assert (restored.contents, restored.schema) == (ADA, "")
    assert {file.name for file in place.root.iterdir()} == {"daemon.lock", "gaia.yaml"}
    database = await open_database(place)
    assert [user.name for user in await Users(database, FakeClock()).list()] == ["Ada"]
    await Users(database, FakeClock()).create("Bob", Role.MEMBER)
    await database.close()


async def test_one_that_is_not_empty_is_left_as_it_is(made: Made, url: URL, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="is not empty"):
        await restore_backup(made.path, None, Home(tmp_path / "new"), FakeClock())
    assert asked(url, "SELECT count(*) FROM memories") == [1]
    assert not (tmp_path / "new").exists()


async def test_tables_in_another_schema_than_public_go_into_one_of_that_name(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_schema(name: str) -> URL:
        postgres.run(f"CREATE DATABASE {name}")
        postgres.run_in(postgres.url(name), 'CREATE SCHEMA "App"')
        return postgres.url(name).update_query_dict({"options": '-c search_path="App"'})

    one, two = with_schema("schemas_one"), with_schema("schemas_two")
    monkeypatch.setenv(VARIABLE, one.render_as_string(hide_password=False))
    home, place = Home(tmp_path / "one"), Home(tmp_path / "two")
    home.create()
    database = await open_database(home)
    await Users(database, FakeClock()).create("Ada", Role.OWNER)
    await database.close()
    made = await make_backup(home, Wanted(tmp_path), FakeClock())
    empty = postgres.url("schemas_three")
    postgres.run(f"CREATE DATABASE {empty.database}")
    for server in (one, empty):
        verified = await verify_backup(made.path, None, server=server)
        assert verified.contents == Contents(users=1, memories=0, messages=0)
    with pytest.raises(BackupError, match="in the schema 'App', and gaia's would be in 'public'"):
        await restore_backup(made.path, None, place, FakeClock(), server=empty)
    await restore_backup(made.path, None, place, FakeClock(), server=two)
    assert asked(postgres.url("schemas_two"), 'SELECT name FROM "App".users') == ["Ada"]
    for each in (one, two, empty):
        postgres.drop(each)


async def test_where_none_is_set_that_is_said(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(BackupError, match="set GAIA_DATABASE_URL to an empty one"):
        await restore_backup(made.path, None, Home(tmp_path / "new"), FakeClock())


async def test_what_was_there_is_kept_in_a_schema(
    made: Made, home: Home, database: Database, url: URL
) -> None:
    await Users(database, FakeClock()).create("Bob", Role.MEMBER)
    await database.close()
    done = await replace_home(made.path, None, home, FakeClock())
    schema = done.restored.schema
    assert schema.startswith("gaia_before_")
    assert asked(url, "SELECT name FROM users") == ["Ada"]
    assert asked(url, f"SELECT name FROM {schema}.users ORDER BY name") == ["Ada", "Bob"]
    again = await make_backup(home, Wanted(made.path.with_name("again.tar.gz")), FakeClock())
    assert (await verify_backup(again.path, None, server=url)).contents == ADA


async def test_a_database_on_which_gaia_runs_is_left_as_it_is(
    made: Made, home: Home, database: Database, url: URL
) -> None:
    await database.read(audit.forgotten)
    with pytest.raises(BackupError, match="stop it first"):
        await replace_home(made.path, None, home, FakeClock())
    assert asked(url, "SELECT name FROM users") == ["Ada"]
    assert home.settings_file.exists()


async def test_a_restore_that_fails_changes_nothing(
    made: Made, home: Home, database: Database, url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    await Users(database, FakeClock()).create("Bob", Role.MEMBER)
    await database.close()

    def fail(*_: object, **__: object) -> None:
        raise BackupError("the disk is full")

    monkeypatch.setattr("gaia.ops.backup.restore._take_place", fail)
    with pytest.raises(BackupError, match="the disk is full"):
        await replace_home(made.path, None, home, FakeClock())
    assert asked(url, "SELECT name FROM users ORDER BY name") == ["Ada", "Bob"]
    assert asked(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gaia_%'") == []
    assert home.settings_file.exists()


async def test_a_file_that_is_no_dump_is_told(tmp_path: Path) -> None:
    (tmp_path / "gaia.dump").write_bytes(b"Dear diary")
    with pytest.raises(BackupDamagedError, match="is no dump"):
        read_list(tmp_path / "gaia.dump")


async def test_programs_that_are_missing_or_of_another_version_are_named(
    url: URL, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert missing_program() == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "pg_dump and pg_restore cannot be found" in missing_program()
    with pytest.raises(BackupError, match="install PostgreSQL's client programs"):
        dump_database(url, tmp_path / "one")
    (finding, *_) = await backup_check(home, BackupSettings(), FakeClock()).look()
    assert "pg_dump and pg_restore cannot be found" in finding.detail
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'aborting because of server version mismatch' >&2\nexit 1\n")
    old.chmod(0o755)
    with pytest.raises(BackupError, match="the program is too old, install"):
        dump_database(url, tmp_path / "two")
    new = tmp_path / "pg_restore"
    said = "ERROR: unrecognized configuration parameter 'transaction_timeout'"
    new.write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    new.chmod(0o755)
    with pytest.raises(BackupError, match="the program is too new, install"):
        restore_dump(tmp_path / "one", url)


async def test_no_password_is_among_the_arguments(
    url: URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "pg_dump"
    spy.write_text(f'#!/bin/sh\necho "$@ $(cat $PGSERVICEFILE) $PGPASSWORD" > {tmp_path}/said\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    secret = url.set(password="hush").update_query_dict({"sslpassword": "hush key"})
    dump_database(secret, tmp_path / "one")
    arguments, _, hidden = (tmp_path / "said").read_text().strip().partition(" [gaia]\n")
    assert ("hush" in arguments, hidden) == (False, "sslpassword=hush key hush")
    (tmp_path / "services").write_text("[far]\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    with pytest.raises(BackupError, match=r"names a service and has another secret.*move it into"):
        dump_database(secret.update_query_dict({"service": "far"}), tmp_path / "two")


async def test_an_address_is_told_the_programs_as_it_is_read(url: URL, tmp_path: Path) -> None:
    said = url.set(password="hush a%+").update_query_dict(
        {"options": "-c search_path=public", "sslpassword": "hush '\\"}
    )
    dump_database(said, tmp_path / "one")
    read_list(tmp_path / "one")


async def test_what_was_forgotten_is_gone_with_the_older_backups(
    home: Home, database: Database, url: URL
) -> None:
    clock, settings = FakeClock(), BackupSettings()
    home.backups.mkdir()
    await make_nightly(home, settings, None, clock, runs=True)
    clock.advance(60)
    (ada,) = await Users(database, clock).list()
    with database.writing() as session:
        ledger.numbers(session, ada.user_id)
        forget.forget_everything(session, ada.user_id, now=clock.now())
    await carry_out_apart(home, database, clock)
    clock.advance(60)
    await replace_outdated(home, database, settings, None, clock, runs=True)
    (left,) = archives_in(home.backups)
    verified = await verify_backup(left.path, None, server=url)
    assert verified.contents == Contents(users=1, memories=0, messages=0)


async def test_who_leads_next_removes_what_another_one_has_made(
    home: Home, database: Database, tmp_path: Path
) -> None:
    clock, settings = FakeClock(), BackupSettings(folder=str(tmp_path / "shared"))
    (tmp_path / "shared").mkdir()
    await make_nightly(home, settings, None, clock, runs=True)
    clock.advance(60)
    (ada,) = await Users(database, clock).list()
    with database.writing() as session:
        ledger.numbers(session, ada.user_id)
        forget.forget_everything(session, ada.user_id, now=clock.now())
    await carry_out_apart(home, database, clock)
    clock.advance(60)
    next_one = Home(tmp_path / "next")
    next_one.create()
    await replace_outdated(next_one, database, settings, None, clock, runs=True)
    (left,) = archives_in(tmp_path / "shared")
    assert left.taken_at == clock.now()


async def test_vectors_in_the_same_database_are_no_part_of_it(
    home: Home, database: Database, url: URL, postgres: PostgresServer
) -> None:
    postgres.run_in(url, "CREATE EXTENSION vector")
    postgres.run_in(url, "CREATE TABLE gaia_1 (id bigint PRIMARY KEY, vector vector(3))")
    postgres.run_in(url, "INSERT INTO gaia_1 VALUES (1, '[1, 2, 3]')")
    home.backups.mkdir()
    made = await make_nightly(home, BackupSettings(), None, FakeClock(), runs=True)
    verified = await verify_backup(made.path, None, server=url)
    assert (verified.contents, verified.untried) == (ADA, "")


def test_a_program_that_the_server_does_not_answer_is_ended(url: URL, tmp_path: Path) -> None:
    with way_to(url, tmp_path) as (way, there):
        way.mark, way.breaks = b"pg_catalog.set_config", STILL
        with pytest.raises(BackupError, match=r"pg_dump did not end within 2 s: look at the serv"):
            dump_database(there, tmp_path / "gaia.dump", longest_seconds=2.0)
        assert way.breaks == ""
