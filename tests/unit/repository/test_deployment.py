"""The service file and the Dockerfile, as far as they can be checked without running them."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, ModelMissingError, SettingsError
from gaia.settings.schema import LimitsSettings


@pytest.fixture
def service(root: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.read(root / "systemd" / "gaia.service")
    return parser


def test_systemd_finds_nothing_to_complain_of(root: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = (root / "systemd" / "gaia.service").read_text()
    unit = unit.replace("%h/gaia/.venv/bin/gaia", sys.executable)
    (tmp_path / "gaia.service").write_text(unit)
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / "gaia.service"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in verified.stderr.splitlines() if "gaia.service" in line] == []


def test_a_restart_is_not_tried_where_it_mends_nothing(
    service: configparser.ConfigParser,
) -> None:
    codes = {int(code) for code in service["Service"]["RestartPreventExitStatus"].split()}
    useless = (SettingsError, ModelMissingError, AlreadyRunningError)
    assert codes == {error.exit_code for error in useless}


def test_the_drain_ends_before_systemd_loses_patience(
    service: configparser.ConfigParser,
) -> None:
    assert int(service["Service"]["TimeoutStopSec"]) > LimitsSettings().drain_seconds


def test_all_that_the_image_copies_is_there(root: Path) -> None:
    lines = (root / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    sources = [name for names in copied for name in names if not names[0].startswith("--from")]
    assert {"requirements.lock", "gaia", "channels", "config"} <= set(sources)
    assert [name for name in sources if not (root / name).exists()] == []
