from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "fuzz_telegram.py"


def test_no_update_stops_the_channel_or_hides_another() -> None:
    command = [sys.executable, str(SCRIPT), "--count", "2000", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 of 200 sound messages were received exactly once" in done.stdout
