from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, NotRunningError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.journals import journals_check
from gaia.ops.report import StatusReport
from gaia.paths import Home
from gaia.store.lock import DaemonLock


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


async def found(home: Home, *, runs: bool = False, long: int = 2**20) -> list[Finding]:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    return list(await journals_check(home, Daemon(ask, lambda: runs), long=long).look())


def without_wal(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")


async def test_a_database_as_gaia_makes_it_is_fine(home: Home, tmp_path: Path) -> None:
    (finding,) = await found(home)
    assert finding.outcome is Outcome.OK
    assert finding.detail == "the write-ahead log is short: 0.0 MB"
    assert (await found(Home(tmp_path / "empty")))[0].detail == "there is none"


async def test_a_database_without_a_write_ahead_log_gets_one(home: Home) -> None:
    without_wal(home.database)
    (finding,) = await found(home)
    assert finding.outcome is Outcome.WARNING
    assert finding.detail.startswith("gaia.db has no write-ahead log")
    assert finding.mend is not None
    await finding.mend()
    assert [each.outcome for each in await found(home)] == [Outcome.OK]


async def test_a_log_that_has_grown_is_emptied_while_no_daemon_runs(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("CREATE TABLE filling AS SELECT zeroblob(2000000)")
        database.commit()
        (running,) = await found(home, runs=True)
        assert running.mend is None
        (finding,) = await found(home)
        assert "the write-ahead log of gaia.db has 2 MB" in finding.detail
        assert finding.mend is not None
        with DaemonLock(home), pytest.raises(AlreadyRunningError):
            await finding.mend()
        assert await finding.mend() == "the write-ahead log of gaia.db is empty now"
    assert [each.outcome for each in await found(home)] == [Outcome.OK]


async def test_a_log_that_somebody_reads_cannot_be_emptied(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("CREATE TABLE filling AS SELECT zeroblob(2000000)")
        database.commit()
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM filling").fetchone()
        (finding,) = await found(home)
        assert finding.mend is not None
        with pytest.raises(OSError, match="another process reads"):
            await finding.mend()
