from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.doctor.home import home_check
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
    assert "cannot be looked at" in (found(tmp_path / "home" / "below")).detail


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
