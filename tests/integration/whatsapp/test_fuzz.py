from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "fuzz_whatsapp.py"


def test_nothing_unsigned_is_taken_and_nothing_signed_is_lost() -> None:
    command = [sys.executable, str(SCRIPT), "--count", "3000", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "520 of 520 sound messages were one turn" in done.stdout
