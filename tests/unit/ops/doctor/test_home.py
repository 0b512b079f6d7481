from __future__ import annotations

import asyncio
import os
import shutil
import stat
from pathlib import Path

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.doctor.home import MOST_NAMED, home_check, permissions_check
from gaia.paths import Home


def found(root: Path) -> Finding:
    async def look() -> Finding:
        (finding,) = await home_check(Home(root)).look()
        return finding

    return asyncio.run(look())


def test_a_home_as_gaia_makes_it_is_fine(tmp_path: Path) -> None:
    Home(tmp_path / "home").create()
    assert (found(tmp_path / "home")).outcome is Outcome.OK


def test_a_home_that_is_not_there_fails_and_is_not_made(tmp_path: Path) -> None:
    finding = found(tmp_path / "home")
    assert finding.outcome is Outcome.FAILED
    assert "GAIA_HOME" in finding.remedy
    assert not (tmp_path / "home").exists()


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    assert "is not a folder" in (found(tmp_path / "home")).detail
    assert "cannot be read" in (found(tmp_path / "home" / "below")).detail


def test_a_home_that_others_may_enter_is_a_warning_with_the_command(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    finding = found(tmp_path)
    assert (finding.outcome, finding.remedy) == (Outcome.WARNING, f"chmod 700 {tmp_path}")
    assert "(mode 0750)" in finding.detail


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a folder away")
def test_a_home_of_another_user_is_a_warning(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    os.chown(tmp_path, 12345, -1)
    finding = found(tmp_path)
    assert finding.outcome is Outcome.WARNING
    assert "belongs to the user with id 12345" in finding.detail


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_to_fails(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert (found(tmp_path)).outcome is Outcome.FAILED
    tmp_path.chmod(0o700)


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


async def found_open(home: Home) -> list[Finding]:
    return list(await permissions_check(home).look())


async def mend(findings: list[Finding]) -> list[str]:
    return [await finding.mend() for finding in findings if finding.mend]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_files_as_gaia_makes_them_are_private(home: Home) -> None:
    (finding,) = await found_open(home)
    assert finding.outcome is Outcome.OK


@pytest.mark.parametrize(
    "name", ["gaia.yaml", "gaia.last-good.yaml", "gaia.db", "gaia.db-wal", "backups/a.tar"]
)
async def test_a_file_that_others_may_read_is_named_and_closed(home: Home, name: str) -> None:
    file = home.root / name
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch()
    file.chmod(0o644)
    (finding,) = await found_open(home)
    assert (finding.outcome, finding.remedy) == (Outcome.WARNING, f"chmod 600 {file}")
    assert str(file) in finding.detail
    assert "(mode 0644)" in finding.detail
    assert await mend([finding]) == [f"{file} is private now"]
    assert mode(file) == 0o600
    assert (await found_open(home))[0].outcome is Outcome.OK


async def test_a_folder_stays_one_that_may_be_entered(home: Home) -> None:
    home.logs.chmod(0o755)
    assert await mend(await found_open(home)) == [f"{home.logs} is private now"]
    assert mode(home.logs) == 0o700


async def test_many_open_files_are_counted_and_all_are_closed(home: Home) -> None:
    files = [home.logs / f"gaia.log.{number}" for number in range(MOST_NAMED + 3)]
    for file in files:
        file.touch()
        file.chmod(0o640)
    findings = await found_open(home)
    assert len(findings) == MOST_NAMED + 1
    assert "3 more" in findings[-1].detail
    await mend(findings)
    assert {mode(file) for file in files} == {0o600}


async def test_what_a_link_leads_to_is_left_alone(home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.touch()
    outside.chmod(0o644)
    home.settings_file.symlink_to(outside)
    (home.logs / "link.log").symlink_to(outside)
    assert [finding.outcome for finding in await found_open(home)] == [Outcome.OK]
