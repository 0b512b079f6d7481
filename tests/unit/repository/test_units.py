"""The units in `systemd/`: they are what gaia writes, and systemd is content with them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError, ModelMissingError, SettingsError
from gaia.ops.service.unit import NAME, Scope, Unit, value_of
from gaia.settings.schema import LimitsSettings

COMMAND = "/opt/gaia/bin/gaia"
EXAMPLE_HOME = Path("/var/lib/gaia")
DRAIN = LimitsSettings().drain_seconds
SYSTEM = Unit(
    Scope.SYSTEM,
    [COMMAND],
    DRAIN,
    home=EXAMPLE_HOME,
    run_as="gaia",
    writable=[EXAMPLE_HOME],
    hides_homes=True,
)
USER = Unit(Scope.USER, [COMMAND], DRAIN)
UNITS = [pytest.param(SYSTEM, id="system"), pytest.param(USER, id="user")]
WORST_SCORE = 30
"""Of `systemd-analyze security`, times ten."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def analyze(folder: Path, unit: Unit, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What systemd-analyze says of the unit, with a command that is on this machine."""
    file = folder / NAME
    file.write_text(unit.text.replace(COMMAND, sys.executable))
    return subprocess.run(
        ["systemd-analyze", *arguments, file],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
    )


@pytest.mark.parametrize(
    ("path", "unit"), [("systemd/gaia.service", SYSTEM), ("systemd/user/gaia.service", USER)]
)
def test_the_examples_are_what_gaia_writes(root: Path, path: str, unit: Unit) -> None:
    comment, section, rest = (root / path).read_text().partition("[Unit]\n")
    assert section + rest == unit.text
    assert all(line.startswith("#") for line in comment.splitlines())


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_finds_nothing_to_complain_of(unit: Unit, tmp_path: Path) -> None:
    verified = analyze(tmp_path, unit, "verify", "--man=no", f"--{unit.scope}")
    assert (verified.returncode, verified.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("hides_homes", [True, False])
def test_systemd_thinks_well_of_the_confinement(tmp_path: Path, hides_homes: bool) -> None:
    unit = Unit(
        Scope.SYSTEM,
        [COMMAND],
        DRAIN,
        run_as="gaia",
        writable=[Path("/home/gaia/.gaia")],
        is_tmp_private=hides_homes,
        hides_homes=hides_homes,
    )
    scored = analyze(tmp_path, unit, "security", "--offline=yes", f"--threshold={WORST_SCORE}")
    assert scored.returncode == 0, scored.stdout


@needs_systemd
def test_a_word_is_read_back_as_it_was_meant(tmp_path: Path) -> None:
    """Specifiers, variables, quotes and spaces in paths: systemd complains of what it takes
    for something else."""
    odd = Path('/srv/a b%n $HOME "x" \\y')
    unit = Unit(Scope.SYSTEM, [COMMAND, str(odd)], DRAIN, home=odd, run_as="x", writable=[odd])
    verified = analyze(tmp_path, unit, "verify", "--man=no")
    assert verified.stderr == ""
    shown = analyze(tmp_path, unit, "security", "--offline=yes", "--json=short")
    assert json.loads(shown.stdout)
    assert f'"{COMMAND}"' not in unit.text
    assert r'"/srv/a b%%n $$HOME \"x\" \\y" serve' in value_of(unit.text, "ExecStart")
    assert value_of(unit.text, "ReadWritePaths") == r'"-/srv/a b%%n $HOME \"x\" \\y"'


def test_a_restart_is_not_tried_where_it_mends_nothing() -> None:
    codes = {int(code) for code in value_of(USER.text, "RestartPreventExitStatus").split()}
    assert codes == {error.exit_code for error in (SettingsError, ModelMissingError)}
    assert AlreadyRunningError.exit_code not in codes, "who has the home lets go of it"


@pytest.mark.parametrize("drain", [0.0, 20.0, 600.0])
def test_the_drain_ends_before_systemd_loses_patience(drain: float) -> None:
    unit = Unit(Scope.USER, [COMMAND], drain)
    assert int(value_of(unit.text, "TimeoutStopSec")) >= drain + 10


def test_a_user_service_asks_for_nothing_that_needs_privileges() -> None:
    keys = {line.partition("=")[0] for line in USER.text.splitlines()}
    spaces = {"CapabilityBoundingSet", "PrivateTmp", "ProtectSystem", "ProtectHome", "User"}
    assert keys & (spaces | {"PrivateDevices", "ReadWritePaths", "ProtectProc"}) == set()
