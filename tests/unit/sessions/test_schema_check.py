"""Which sessions.db is opened, and that a refused one is left as it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from google.adk.sessions.schemas.v0 import Base as OldAdkBase
from google.adk.sessions.schemas.v1 import Base as AdkBase
from sqlalchemy import MetaData, create_engine

from gaia.errors import StoreError
from gaia.paths import Home
from gaia.sessions.opening import open_sessions
from gaia.sessions.service import SessionKey

KEY = SessionKey("u_1", "terminal", "ada", 1)


async def create(home: Home) -> None:
    """A sessions.db with one session, closed cleanly."""
    sessions = await open_sessions(home)
    await sessions.ensure(KEY)
    await sessions.close()


def create_tables(path: Path, metadata: MetaData) -> None:
    engine = create_engine(f"sqlite:///{path}")
    metadata.create_all(engine)
    engine.dispose()


def run(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


async def assert_refused(home: Home, match: str) -> None:
    before = home.sessions_database.read_bytes()
    with pytest.raises(StoreError, match=match) as caught:
        await open_sessions(home)
    assert str(home.sessions_database) in str(caught.value)
    assert home.sessions_database.read_bytes() == before


async def test_what_the_installed_adk_wrote_is_opened_again(home: Home) -> None:
    await create(home)
    sessions = await open_sessions(home)
    assert [summary.session_id for summary in await sessions.list()] == [KEY.session_id]
    await sessions.close()


async def test_an_unknown_schema_version_is_refused(home: Home) -> None:
    await create(home)
    run(home.sessions_database, "UPDATE adk_internal_metadata SET value = '7'")
    await assert_refused(home, r"version is '7', not '1'.*move the file away")


async def test_the_schema_of_an_old_adk_is_refused(home: Home) -> None:
    create_tables(home.sessions_database, OldAdkBase.metadata)
    await assert_refused(home, "no table 'adk_internal_metadata'")


async def test_a_database_of_another_program_is_refused(home: Home) -> None:
    run(home.sessions_database, "CREATE TABLE bookmarks (url TEXT)")
    await assert_refused(home, "no table 'adk_internal_metadata'")


async def test_a_table_that_lacks_a_column_is_refused(home: Home) -> None:
    await create(home)
    run(home.sessions_database, "ALTER TABLE sessions DROP COLUMN state")
    await assert_refused(home, "table 'sessions' has no column 'state'")


async def test_a_file_that_is_no_database_is_refused(home: Home) -> None:
    home.sessions_database.write_bytes(b"Dear diary, " * 1000)
    await assert_refused(home, "is damaged")


async def test_a_file_cut_in_the_middle_is_refused(home: Home) -> None:
    await create(home)
    content = home.sessions_database.read_bytes()
    home.sessions_database.write_bytes(content[: len(content) // 2])
    await assert_refused(home, "is damaged")


async def test_a_first_start_that_was_cut_short_is_completed(home: Home) -> None:
    create_tables(home.sessions_database, AdkBase.metadata)
    sessions = await open_sessions(home)
    await sessions.ensure(KEY)
    assert len(await sessions.list()) == 1
    await sessions.close()


async def test_a_file_that_was_never_written_to_is_new(home: Home) -> None:
    home.sessions_database.touch()
    sessions = await open_sessions(home)
    assert list(await sessions.list()) == []
    await sessions.close()
