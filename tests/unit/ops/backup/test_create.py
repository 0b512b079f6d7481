"""What a backup has in it, and what is left when it cannot be made."""

import asyncio
import errno
import os
import sqlite3
import stat
import subprocess
import sys
import tarfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from gaia.errors import BackupBusyError, BackupError, StoreError
from gaia.ops.backup.archives import Silent, archives_in
from gaia.ops.backup.create import Made, Wanted, make_backup
from gaia.ops.backup.staging import backup_lock
from gaia.paths import Home
from gaia.store.migrations import HEAD
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock
from tests.harness.traces import files_with

pytestmark = pytest.mark.sqlite

CANARY = b"sk-canary-0123456789abcdef"

COUNT = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
other.execute("SELECT count(*) FROM users").fetchall()
other.close()
"""
"""Another program that looks into the database, and leaves it."""

Make = Callable[..., Awaitable[Made]]


def content(made: Made) -> dict[str, bytes]:
    """The files of an archive that is not encrypted."""
    with tarfile.open(made.path) as tar:
        return {
            member.name: file.read()
            for member in tar
            if (file := tar.extractfile(member)) is not None
        }


def unfinished_or_finished(folder: Path) -> list[Path]:
    """All that may have become of an archive."""
    return list(folder.glob("*.gz*"))


async def test_it_has_the_databases_and_the_settings_and_nothing_else(make: Make) -> None:
    made = await make()
    assert set(content(made)) == {"manifest.json", "gaia.db", "gaia.yaml"}
    assert made.path.name == "gaia-2026-01-01T120000.000Z.tar.gz"
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert (made.manifest.taken_at, made.manifest.revision) == (START, HEAD)
    assert made.size_bytes == made.path.stat().st_size


async def test_secrets_are_in_it_only_when_asked_for_and_it_says_so(make: Make) -> None:
    without, with_them = await make(), await make(nightly=True, with_secrets=True)
    assert not without.manifest.with_secrets
    assert not any(CANARY in file for file in content(without).values())
    assert with_them.manifest.with_secrets
    assert CANARY in content(with_them)[".env"]


async def test_the_locks_of_the_process_that_makes_it_outlast_it(home: Home, make: Make) -> None:
    """Else the next program that leaves the database removes its write-ahead log, and what the
    daemon writes from then on is in no file any more."""
    database = await open_database(home)
    try:
        users = Users(database, FakeClock())
        await users.create("Bob", Role.MEMBER)
        await make()
        await asyncio.to_thread(subprocess.run, (sys.executable, "-c", COUNT, home.database))
        await users.create("Cem", Role.MEMBER)
        assert database.problem() == ""
    finally:
        await database.close()


async def test_it_has_what_was_committed_a_moment_ago_and_nothing_that_was_not(
    home: Home, make: Make, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(home.database, isolation_level=None)) as other:
        other.execute("CREATE TABLE others (word)")
        other.execute("INSERT INTO others VALUES ('committed')")
        other.execute("BEGIN")
        rows = other.execute("SELECT word FROM others").fetchall()
        made = await make()
        other.execute("COMMIT")
    copy = tmp_path / "copy.db"
    copy.write_bytes(content(made)["gaia.db"])
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT word FROM others").fetchall() == rows


async def test_what_was_deleted_is_not_in_it(home: Home, make: Make) -> None:
    with closing(sqlite3.connect(home.database, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE words (word)")
        connection.execute("INSERT INTO words VALUES ('blue pot of gold')")
        connection.execute("DROP TABLE words")
    assert files_with(home.root, "pot of gold") == ["gaia.db"]
    assert b"pot of gold" not in content(await make())["gaia.db"]


async def test_a_home_without_a_database_has_none(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="nothing to back up"):
        await make_backup(Home(tmp_path), Wanted(tmp_path), FakeClock())


async def test_a_file_that_exists_is_not_replaced(make: Make) -> None:
    made = await make()
    before = made.path.read_bytes()
    with pytest.raises(BackupError, match="exists"):
        await make()
    assert made.path.read_bytes() == before


async def test_one_of_the_same_moment_is_to_be_tried_again(make: Make) -> None:
    made = await make()
    with pytest.raises(BackupBusyError, match="at this very moment: try again"):
        await make()
    assert unfinished_or_finished(made.path.parent) == [made.path]


async def test_a_folder_that_is_not_there_is_not_made(make: Make, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="no folder"):
        await make(to=tmp_path / "disk" / "mine.tar.gz")
    with pytest.raises(BackupError, match=r"no folder.*ends in \.tar\.gz"):
        await make(to=tmp_path / "disk")
    assert not (tmp_path / "disk").exists()


async def test_a_disk_that_fills_up_is_told_of_and_nothing_is_left(
    home: Home, tmp_path: Path
) -> None:
    class Full(Silent):
        archive = False

        def step(self, what: str) -> None:
            self.archive = what == "compressing"

        def bytes_done(self, done: int, total: int) -> None:
            if self.archive:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(BackupError, match=r"No space left.*make room"):
        await make_backup(home, Wanted(tmp_path), FakeClock(), Full())
    assert not unfinished_or_finished(tmp_path)
    assert [path.name for path in home.backups.iterdir()] == [".lock"]


async def test_a_damaged_database_has_no_backup(home: Home, make: Make, tmp_path: Path) -> None:
    with home.database.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 30 * 4096)
    with pytest.raises(StoreError, match=r"gaia\.db.*damaged"):
        await make()
    assert list((tmp_path / "backups").iterdir()) == []
    assert [path.name for path in home.backups.iterdir()] == [".lock"]


async def test_two_at_once_are_refused(home: Home, make: Make) -> None:
    with backup_lock(home), pytest.raises(BackupBusyError, match="try again"):
        await make()


async def test_what_a_killed_one_left_is_removed_by_the_next(
    home: Home, make: Make, tmp_path: Path
) -> None:
    staged = home.backups / ".staging"
    staged.mkdir(parents=True)
    (staged / "gaia.db").write_text("old words")
    left = tmp_path / "backups" / "gaia-2025-01-01T000000.000Z.tar.gz.partial"
    left.write_text("old words")
    await make()
    assert not staged.exists()
    assert not left.exists()


async def test_one_that_nobody_waits_for_leaves_nothing(home: Home, tmp_path: Path) -> None:
    begun, going_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        def step(self, what: str) -> None:
            loop.call_soon_threadsafe(begun.set)
            asyncio.run_coroutine_threadsafe(going_on.wait(), loop).result(10)

        def bytes_done(self, done: int, total: int) -> None:
            pass

    making = asyncio.create_task(make_backup(home, Wanted(tmp_path), FakeClock(), Slow()))
    await begun.wait()
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    going_on.set()
    # The next one can be made once the thread has let go.
    await asyncio.get_running_loop().shutdown_default_executor()
    assert archives_in(tmp_path) == []
    with backup_lock(home):
        assert [path.name for path in home.backups.iterdir()] == [".lock"]


async def test_a_copy_is_taken_beside_an_open_daemon(home: Home, make: Make) -> None:
    database = await open_database(home)
    with database.reading():
        made = await make(while_running=True)
    await database.close()
    assert made.manifest.while_running
