"""`scripts/bench`: its parts, measured small, so that none of them rots."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.effort import THOROUGH

BENCHMARKS = Path(__file__).parents[3] / "scripts" / "benchmarks"
PARTS = {
    *("turn", "growth", "load", "start", "commands", "prompt", "memory", "embedded", "recall"),
}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it behind all other processes: its figures are not looked at, and tests beside it
    that are bounded in time keep the processor."""
    command = ["nice", "-n", "19", sys.executable, BENCHMARKS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.timeout(600)
def test_a_part_measures_something() -> None:
    """One of them, another each time; in a thorough run all."""
    parts = PARTS if THOROUGH else {random.choice(sorted(PARTS))}
    done = bench("--quick", "--json", *sorted(parts))
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert set(measured) == parts
    for part, figures in measured.items():
        assert figures, part
        assert all(figure["value"] >= 0 for figure in figures), figures
        assert any(figure["ratio"] for figure in figures), figures


def test_a_part_that_does_not_exist_is_named() -> None:
    done = bench("turns")
    assert done.returncode == 2
    assert "no part is called turns" in done.stderr
