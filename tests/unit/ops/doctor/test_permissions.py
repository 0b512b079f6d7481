from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.doctor.permissions import MOST_NAMED, permissions_check
from gaia.paths import Home


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


async def found(home: Home) -> list[Finding]:
    return list(await permissions_check(home).look())


async def mend(findings: list[Finding]) -> list[str]:
    return [await finding.mend() for finding in findings if finding.mend]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_files_as_gaia_makes_them_are_private(home: Home) -> None:
    (finding,) = await found(home)
    assert finding.outcome is Outcome.OK


@pytest.mark.parametrize(
    "name", ["gaia.yaml", "gaia.last-good.yaml", "gaia.db", "gaia.db-wal", "backups/a.tar"]
)
async def test_a_file_that_others_may_read_is_named_and_closed(home: Home, name: str) -> None:
    file = home.root / name
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch()
    file.chmod(0o644)
    (finding,) = await found(home)
    assert (finding.outcome, finding.remedy) == (Outcome.WARNING, f"chmod 600 {file}")
    assert str(file) in finding.detail
    assert "(mode 0644)" in finding.detail
    assert await mend([finding]) == [f"{file} is private now"]
    assert mode(file) == 0o600
    assert (await found(home))[0].outcome is Outcome.OK


async def test_a_folder_stays_one_that_may_be_entered(home: Home) -> None:
    home.logs.chmod(0o755)
    assert await mend(await found(home)) == [f"{home.logs} is private now"]
    assert mode(home.logs) == 0o700


async def test_many_open_files_are_counted_and_all_are_closed(home: Home) -> None:
    files = [home.logs / f"gaia.log.{number}" for number in range(MOST_NAMED + 3)]
    for file in files:
        file.touch()
        file.chmod(0o640)
    findings = await found(home)
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
    assert [finding.outcome for finding in await found(home)] == [Outcome.OK]
