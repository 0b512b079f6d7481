from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, NotRunningError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.checks import Examined, examine
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.databases import database_check, journals_check
from gaia.ops.report import StatusReport
from gaia.paths import Home
from gaia.store import revision
from gaia.store.lock import DaemonLock
from gaia.store.migrations import HEAD
from gaia.store.opener import open_database
from gaia.store.sqlite.file import QUICK_CHECK_BYTES

pytestmark = pytest.mark.sqlite


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


def _unheard(host: str, date: str) -> None:
    """A file has no time."""


async def found(home: Home) -> list[Examined]:
    return [each async for each in examine([database_check(home, _unheard)], lambda check: None)]


async def outcomes(home: Home) -> list[Outcome]:
    return [finding.outcome for each in await found(home) for finding in each.findings]


async def test_databases_are_fine_while_the_daemon_has_them_open(home: Home) -> None:
    database = await open_database(home)
    with database.writing():
        (database_found,) = await found(home)
    await database.close()
    assert database_found.findings[0].detail == f"gaia.db is intact, version {HEAD}"


async def test_databases_that_are_not_there_are_fine_and_are_not_made(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert await outcomes(home) == [Outcome.OK]
    assert not home.database.exists()


async def test_a_database_of_a_newer_gaia_fails(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    (examined,) = await found(home)
    (finding,) = examined.findings
    assert finding.outcome is Outcome.FAILED
    assert "'9999'" in finding.detail
    assert finding.remedy == "Install that version, or move the file away."


async def test_a_database_of_an_older_gaia_is_fine(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision, "REVISIONS", ("0000", HEAD))
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("UPDATE alembic_version SET version_num = '0000'")
        database.commit()
    (examined,) = await found(home)
    assert "older version 0000: the next start migrates it" in examined.findings[0].detail


async def test_a_damaged_page_is_found_in_a_large_database_as_well(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, filling BLOB)")
        rows = [(b"." * 3000,)] * (QUICK_CHECK_BYTES // 3000)
        database.executemany("INSERT INTO large (filling) VALUES (?)", rows)
        database.commit()
    size = home.database.stat().st_size
    assert size > QUICK_CHECK_BYTES
    assert await outcomes(home) == [Outcome.OK]
    with home.database.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    (examined,) = await found(home)
    assert examined.findings[0].outcome is Outcome.FAILED
    assert "'backups'" in examined.findings[0].remedy


async def test_a_file_of_something_else_fails(home: Home) -> None:
    home.database.write_bytes(b"Dear diary, " * 1000)
    assert await outcomes(home) == [Outcome.FAILED]


async def found_in_journals(home: Home, *, runs: bool = False, long: int = 2**20) -> list[Finding]:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    return list(await journals_check(home, Daemon(ask, lambda: runs), long=long).look())


def without_wal(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")


async def test_a_database_as_gaia_makes_it_is_fine(home: Home, tmp_path: Path) -> None:
    (finding,) = await found_in_journals(home)
    assert finding.outcome is Outcome.OK
    assert finding.detail == "the write-ahead log is short: 0.0 MB"
    assert (await found_in_journals(Home(tmp_path / "empty")))[0].detail == "there is none"


async def test_a_database_without_a_write_ahead_log_gets_one(home: Home) -> None:
    without_wal(home.database)
    (finding,) = await found_in_journals(home)
    assert finding.outcome is Outcome.WARNING
    assert finding.detail.startswith("gaia.db has no write-ahead log")
    assert finding.mend is not None
    await finding.mend()
    assert [each.outcome for each in await found_in_journals(home)] == [Outcome.OK]


async def test_a_log_that_has_grown_is_emptied_while_no_daemon_runs(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("CREATE TABLE filling AS SELECT zeroblob(2000000)")
        database.commit()
        (running,) = await found_in_journals(home, runs=True)
        assert running.mend is None
        (finding,) = await found_in_journals(home)
        assert "the write-ahead log of gaia.db has 2 MB" in finding.detail
        assert finding.mend is not None
        with DaemonLock(home), pytest.raises(AlreadyRunningError):
            await finding.mend()
        assert await finding.mend() == "the write-ahead log of gaia.db is empty now"
    assert [each.outcome for each in await found_in_journals(home)] == [Outcome.OK]


async def test_a_log_that_somebody_reads_cannot_be_emptied(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("CREATE TABLE filling AS SELECT zeroblob(2000000)")
        database.commit()
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM filling").fetchone()
        (finding,) = await found_in_journals(home)
        assert finding.mend is not None
        with pytest.raises(OSError, match="another process reads"):
            await finding.mend()
