from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, BackupBusyError, NotRunningError
from gaia.files import UNFINISHED
from gaia.findings import Finding, Outcome
from gaia.ops.backup.archives import archive_name
from gaia.ops.backup.staging import STAGING, backup_lock
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.leftovers import leftovers_check
from gaia.ops.report import StatusReport
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from gaia.testing.clock import START, FakeClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    home.backups.mkdir()
    return home


async def found(
    home: Home, *, runs: bool = False, later: timedelta = timedelta(hours=2)
) -> list[Finding]:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    clock = FakeClock(datetime.now(UTC) + later)
    return list(await leftovers_check(home, Daemon(ask, lambda: runs), clock).look())


def leave_a_socket(home: Home) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.control_socket))


async def test_a_tidy_home_is_fine(home: Home) -> None:
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]


async def mend(findings: list[Finding]) -> None:
    for finding in findings:
        assert finding.outcome is Outcome.WARNING
        assert finding.mend is not None
        await finding.mend()


async def test_a_killed_daemons_socket_is_removed(home: Home) -> None:
    leave_a_socket(home)
    assert [finding.outcome for finding in await found(home, runs=True)] == [Outcome.OK]
    await mend(await found(home))
    assert not home.control_socket.exists()
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]


async def test_a_daemon_that_only_hangs_keeps_its_socket(home: Home) -> None:
    leave_a_socket(home)
    findings = await found(home)
    with DaemonLock(home), pytest.raises(AlreadyRunningError):
        await mend(findings)
    assert home.control_socket.exists()


def leave_a_backup(home: Home) -> list[Path]:
    name = archive_name(START, nightly=True, encrypted=False)
    whole, begun = home.backups / name, home.backups / f"{name}{UNFINISHED}"
    staging = home.backups / STAGING
    whole.touch()
    begun.touch()
    staging.mkdir()
    return [whole, begun, staging]


async def test_what_is_left_of_a_backup_is_cleared_away_and_whole_ones_stay(home: Home) -> None:
    whole, begun, staging = leave_a_backup(home)
    await mend(await found(home, runs=True))
    assert whole.exists()
    assert not begun.exists()
    assert not staging.exists()
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]


async def test_a_backup_that_is_being_made_is_left_alone(home: Home) -> None:
    leave_a_backup(home)
    recent = await found(home, later=timedelta(minutes=59))
    assert [finding.outcome for finding in recent] == [Outcome.OK]
    findings = await found(home)
    with backup_lock(home), pytest.raises(BackupBusyError):
        await mend(findings)
    assert (home.backups / STAGING).exists()


async def test_a_folder_that_a_running_daemon_misses_is_made_again(home: Home) -> None:
    home.logs.rmdir()
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]
    (finding,) = await found(home, runs=True)
    assert finding.mend is not None
    await finding.mend()
    assert home.logs.is_dir()
    assert home.logs.stat().st_mode & 0o077 == 0
