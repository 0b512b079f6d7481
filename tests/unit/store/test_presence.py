"""Files that are removed or replaced while they are open."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from gaia.errors import StoreError, VanishedError
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.store.sqlite.database import SqliteDatabase, open_engine
from gaia.store.sqlite.presence import OpenDatabase

pytestmark = pytest.mark.sqlite

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = SqliteDatabase(tmp_path / "gaia.db")
    await database.write(Session.execute, text("CREATE TABLE words (word TEXT)"))
    yield database
    await database.close()


def add(session: Session, word: str) -> None:
    session.execute(text("INSERT INTO words VALUES (:word)"), {"word": word})


def words(session: Session) -> list[str]:
    return list(session.scalars(text("SELECT word FROM words")))


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize("name", ["gaia.db", "gaia.db-wal"])
@pytest.mark.parametrize("harm", [remove, replace])
async def test_a_file_that_went_takes_no_more_writes_and_is_saved_whole(
    database: Database, tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    await database.write(add, "before")
    harm(tmp_path / name)
    assert name in database.problem()
    with pytest.raises(VanishedError, match="while gaia runs"):
        await database.write(add, "after")
    assert await database.read(words) == ["before"]
    copy = await database.save_copy(tmp_path / "backups", NOW)
    assert copy == tmp_path / "backups" / "gaia-at-loss-20261129-120000.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    saved = SqliteDatabase(copy)
    assert await saved.read(words) == ["before"]
    await saved.close()


async def test_a_write_whose_file_goes_meanwhile_is_not_taken_for_kept(
    database: Database, tmp_path: Path
) -> None:
    def add_and_remove(session: Session) -> None:
        add(session, "meanwhile")
        (tmp_path / "gaia.db").unlink()

    with pytest.raises(VanishedError):
        await database.write(add_and_remove)


async def test_a_file_that_comes_back_is_written_again(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "gaia.db"
    file.rename(tmp_path / "away")
    with pytest.raises(VanishedError):
        await database.write(add, "lost")
    (tmp_path / "away").rename(file)
    assert not database.problem()
    await database.write(add, "kept")
    assert await database.read(words) == ["kept"]


async def test_no_connection_makes_an_empty_file_in_its_place(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "gaia.db").unlink()

    def read_twice(session: Session) -> list[str]:
        with database.reading() as other:
            return words(session) + words(other)

    with pytest.raises(VanishedError):
        await database.read(read_twice)
    assert not (tmp_path / "gaia.db").exists()


@pytest.mark.parametrize("harm", [remove, replace])
async def test_what_goes_while_a_connection_is_made_is_not_opened_and_not_taken_for_it(
    database: Database, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    file = tmp_path / "gaia.db"

    def go(*arguments: object) -> None:
        harm(file)

    def read_twice(session: Session) -> list[str]:
        with database.reading() as other:
            return words(session) + words(other)

    await database.write(add, "kept")
    event.listen(database.engine, "do_connect", go, once=True)
    with pytest.raises((VanishedError, StoreError)):
        await database.read(read_twice)
    assert file.exists() == (harm is replace)
    assert "gaia.db" in database.problem()
    saved = SqliteDatabase(await database.save_copy(tmp_path / "backups", NOW))
    assert await saved.read(words) == ["kept"]
    await saved.close()


async def test_a_folder_that_went_is_made_for_the_copy(database: Database, tmp_path: Path) -> None:
    copy = await database.save_copy(tmp_path / "gone" / "backups", NOW)
    assert copy.parent.stat().st_mode & 0o777 == 0o700


async def test_a_copy_that_cannot_be_written_is_told(database: Database, tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("")
    with pytest.raises(StoreError, match="cannot be saved"):
        await database.save_copy(tmp_path / "backups", NOW)


async def test_another_processs_last_connection_is_no_loss(tmp_path: Path) -> None:
    """Each takes its WAL along when it ends."""
    for _ in range(2):
        database = SqliteDatabase(tmp_path / "gaia.db")
        await database.write(Session.execute, text("CREATE TABLE IF NOT EXISTS words (word TEXT)"))
        await database.write(add, "word")
        assert not database.problem()
        await database.close()
        assert not database.problem()


async def test_a_home_that_lost_its_database_does_not_begin_an_empty_one(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    await database.read(Session.execute, text("SELECT 1"))
    home.database.unlink()
    copy = await database.save_copy(home.backups, NOW)
    await database.close()
    with pytest.raises(VanishedError, match="gaia-at-loss-20261129-120000"):
        await open_database(home)
    copy.rename(home.database)
    await (await open_database(home)).close()


@pytest.mark.parametrize("harm", [remove, replace])
def test_a_lock_that_went_is_told(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    home = Home(tmp_path)
    lock = DaemonLock(home)
    assert not lock.problem()
    with lock:
        assert not lock.problem()
        harm(home.lock_file)
        assert "another gaia could start" in lock.problem()


def test_of_two_connections_that_are_made_at_once_both_have_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "gaia.db"
    file.touch()
    opened = OpenDatabase(open_engine(file), file)
    closed: list[bool] = []
    first, second = (SimpleNamespace(info={}, close=lambda: closed.append(True)) for _ in range(2))
    opened._before_connect(None, first)  # type: ignore[arg-type]
    opened._check_opened(first, first)  # type: ignore[arg-type]
    # It is looked at, and not ready yet.
    replace(file)
    opened._before_connect(None, second)  # type: ignore[arg-type]
    with pytest.raises(VanishedError, match="replaced"):
        opened._check_opened(second, second)  # type: ignore[arg-type]
    assert closed == [True]


@pytest.mark.parametrize(
    "name", [b"a home", b"50%25 off", b"what?mode=ro", b"#1", b"\xff\xfe", b"/begun twice"]
)
async def test_a_home_of_any_name_is_opened(tmp_path: Path, name: bytes) -> None:
    slash = "/" if name.startswith(b"/") else ""
    folder = Path(f"{slash}{tmp_path}/{os.fsdecode(name).strip('/')}")
    home = Home(folder)
    home.create()
    for _ in range(2):
        database = await open_database(home)
        assert not database.problem()
        await database.close()
    assert names(tmp_path) == {folder.name}
    assert "gaia.db" in names(folder)
