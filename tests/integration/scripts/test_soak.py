"""`scripts/soak`: four weeks in the life of a home, after which all has to be flat."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.effort import rounds

SOAK = Path(__file__).parents[3] / "scripts" / "benchmarks" / "soak.py"
SEED = "1"
WEEKS = 4
MESSAGES = rounds(160, thorough=300)
FIGURES = {
    *("number", "turns", "resident_mb", "database_mb", "wal_mb", "index_mb", "backups_mb"),
    *("logs_mb", "threads", "descriptors", "connections", "tasks", "turn_ms"),
}


def soak(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it behind all other processes: it measures processor time, not the clock."""
    command = ["nice", "-n", "19", sys.executable, SOAK, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.timeout(900)
def test_four_weeks_are_flat() -> None:
    done = soak("--quick", "--json", "--seed", SEED, "--turns", str(MESSAGES))
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["faults"] == []
    assert done.returncode == 0
    assert told["said"] >= MESSAGES
    assert told["forgotten"] > 0
    assert [each["number"] for each in told["periods"]] == list(range(1, WEEKS + 1))
    for period in told["periods"]:
        assert set(period) == FIGURES
        assert all(value > 0 for value in period.values()), period
    assert f"seed {SEED}" in done.stderr


def test_too_few_months_for_a_trend_are_refused() -> None:
    done = soak("--months", "3")
    assert done.returncode == 2
    assert "--months is 3" in done.stderr
