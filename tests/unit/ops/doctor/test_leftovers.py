from __future__ import annotations

import socket
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, NotRunningError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.leftovers import leftovers_check
from gaia.ops.report import StatusReport
from gaia.paths import Home
from gaia.store.lock import DaemonLock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    home.backups.mkdir()
    return home


async def found(home: Home, *, runs: bool = False) -> list[Finding]:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    return list(await leftovers_check(home, Daemon(ask, lambda: runs)).look())


def leave_a_socket(home: Home) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.control_socket))


async def test_a_tidy_home_is_fine(home: Home) -> None:
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]


async def test_a_killed_daemons_socket_and_unfinished_backups_are_cleared_away(home: Home) -> None:
    leave_a_socket(home)
    partial, whole = home.backups / "b.partial", home.backups / "b.tar"
    partial.touch()
    whole.touch()
    for finding in await found(home):
        assert finding.outcome is Outcome.WARNING
        assert finding.mend is not None
        assert "is removed" in await finding.mend()
    assert not home.control_socket.exists()
    assert not partial.exists()
    assert whole.exists()
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]


async def test_nothing_that_a_running_daemon_may_need_is_removed(home: Home) -> None:
    leave_a_socket(home)
    (home.backups / "b.partial").touch()
    assert [finding.outcome for finding in await found(home, runs=True)] == [Outcome.OK]
    (stale, _) = await found(home)
    assert stale.mend is not None
    with DaemonLock(home), pytest.raises(AlreadyRunningError):
        await stale.mend()
    assert home.control_socket.exists()


async def test_a_folder_that_a_running_daemon_misses_is_made_again(home: Home) -> None:
    home.logs.rmdir()
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]
    (finding,) = await found(home, runs=True)
    assert finding.mend is not None
    await finding.mend()
    assert home.logs.is_dir()
    assert home.logs.stat().st_mode & 0o077 == 0
