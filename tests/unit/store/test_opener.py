"""`open_database`: a new file, an up-to-date one, and all those that it must refuse."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from gaia.errors import NewerStoreError, StoreError
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.sqlite.file import QUICK_CHECK_BYTES
from gaia.store.tables import Base

pytestmark = pytest.mark.sqlite

PAGE_BYTES = 4096


async def fill(home: Home, *, rows: int = 200) -> None:
    """A database with content on many pages, closed cleanly."""
    database = await open_database(home)
    with database.writing() as session:
        for n in range(rows):
            session.execute(
                text(
                    "INSERT INTO users (user_id, name, name_key, role, is_group, created_at) "
                    "VALUES (:id, :name, :id, 'member', 0, '2026-01-01 00:00:00')"
                ),
                {"id": f"u_{n}", "name": "x" * 300},
            )
    await database.close()


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def assert_refused(home: Home, error: type[StoreError], match: str) -> None:
    """The database is refused, and not one byte of it has changed."""
    before = home.database.read_bytes()
    with pytest.raises(error, match=match) as caught:
        await open_database(home)
    assert str(home.database) in str(caught.value)
    assert home.database.read_bytes() == before


async def test_a_new_file_gets_all_tables(home: Home) -> None:
    database = await open_database(home)
    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            assert session.execute(table.select()).all() == []
    await database.close()
    assert not home.backups.exists()


async def test_an_up_to_date_file_opens_with_its_content(home: Home) -> None:
    await fill(home, rows=3)
    database = await open_database(home)
    with database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM users")).scalar() == 3
    await database.close()
    assert not home.backups.exists()


async def test_a_file_that_was_never_written_to_is_new(home: Home) -> None:
    home.database.touch()
    database = await open_database(home)
    with database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM users")).scalar() == 0
    await database.close()


async def test_a_database_of_a_newer_version_is_refused(home: Home) -> None:
    await fill(home)
    run(home.database, "UPDATE alembic_version SET version_num = '9999'")
    await assert_refused(home, NewerStoreError, "revision '9999'.*install that version")


async def test_a_database_of_another_program_is_refused(home: Home) -> None:
    run(home.database, "CREATE TABLE bookmarks (url TEXT)")
    await assert_refused(home, StoreError, "is not a database of gaia.*'bookmarks'")


async def test_a_file_that_is_no_database_is_refused(home: Home) -> None:
    home.database.write_bytes(b"Dear diary, " * 1000)
    await assert_refused(home, StoreError, "is damaged .*backups")


async def test_a_file_of_a_format_that_does_not_exist_is_refused(home: Home) -> None:
    await fill(home, rows=1)
    content = bytearray(home.database.read_bytes())
    # The schema format number, https://www.sqlite.org/fileformat2.html.
    content[47] = 0xFF
    home.database.write_bytes(content)
    await assert_refused(home, StoreError, "is damaged .*unsupported file format")


@pytest.mark.parametrize("size", [1, 99, 511])
async def test_a_file_cut_to_less_than_a_page_is_refused(home: Home, size: int) -> None:
    await fill(home, rows=1)
    home.database.write_bytes(home.database.read_bytes()[:size])
    await assert_refused(home, StoreError, "is damaged")


async def test_a_file_cut_in_the_middle_is_refused(home: Home) -> None:
    await fill(home)
    content = home.database.read_bytes()
    home.database.write_bytes(content[: len(content) // 2])
    await assert_refused(home, StoreError, "is damaged")


async def test_a_page_of_zeros_is_noticed(home: Home) -> None:
    await fill(home)
    content = bytearray(home.database.read_bytes())
    page = len(content) // PAGE_BYTES // 2 * PAGE_BYTES
    content[page : page + PAGE_BYTES] = bytes(PAGE_BYTES)
    home.database.write_bytes(content)
    await assert_refused(home, StoreError, "is damaged")


async def test_a_cut_is_noticed_in_a_file_too_large_for_the_page_check(home: Home) -> None:
    await fill(home)
    run(
        home.database,
        "CREATE TABLE ballast (content BLOB)",
        f"INSERT INTO ballast VALUES (zeroblob({2 * QUICK_CHECK_BYTES}))",
    )
    content = home.database.read_bytes()
    assert len(content) > QUICK_CHECK_BYTES + PAGE_BYTES
    home.database.write_bytes(content[:-PAGE_BYTES])
    await assert_refused(home, StoreError, "is damaged")


async def test_damage_met_later_is_named_too(home: Home) -> None:
    await fill(home)
    database = await open_database(home)
    content = bytearray(home.database.read_bytes())
    content[PAGE_BYTES:] = b"\xff" * (len(content) - PAGE_BYTES)
    home.database.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"), database.reading() as session:
        session.execute(text("SELECT * FROM users"))
    await database.close()


async def test_a_folder_in_its_place_is_named(home: Home) -> None:
    home.database.mkdir()
    with pytest.raises(StoreError, match=r"gaia\.db"):
        await open_database(home)
