"""The fuzzers of the settings, of backups and of the control socket, with a few examples each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.mark.parametrize(
    ("script", "count", "says"),
    [
        ("fuzz_settings.py", 300, " refused, "),
        ("fuzz_archives.py", 150, "3 sound restored"),
        ("fuzz_control.py", 300, " x 101, "),
    ],
)
def test_nothing_odd_stops_gaia_or_is_taken_for_sound(script: str, count: int, says: str) -> None:
    command = [sys.executable, str(SCRIPTS / script), "--count", str(count), "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert says in done.stdout
    assert "0 faults" in done.stdout
