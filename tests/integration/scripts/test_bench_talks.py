"""`scripts/bench_talks.py`: three conversations with the real model, where it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gaia.settings.providers import DEFAULT_NAMES
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights

ROOT = Path(__file__).parents[3]
SCRIPT, TALKS = ROOT / "scripts" / "bench_talks.py", ROOT / "scripts" / "talks.json"
MODEL = find_model(DEFAULT_NAMES["embedded"])
KEPT_MODELS = os.environ.get("GAIA_TEST_MODELS")
FOLDERS = [*([Path(KEPT_MODELS)] if KEPT_MODELS else []), Path.home() / ".gaia" / "models"]
"""Where the real model may be; read here, since tests run without gaia's variables."""
SKIPPED = 77


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_three_conversations_are_right_with_the_real_model() -> None:
    folder = next((each for each in FOLDERS if Weights(each).is_installed(MODEL)), None)
    if folder is None:
        pytest.skip(
            f"the model {MODEL.name!r} is not in {' or '.join(map(str, FOLDERS))}: "
            "run 'gaia model pull', or set GAIA_TEST_MODELS to the folder that has it"
        )
    chosen = ("--only", "name-fr", "--only", "sum-plain", "--only", "remember2")
    done = bench(TALKS, "--models", folder, *chosen, "--at-least", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 right" in done.stdout


def test_without_the_model_it_says_so_and_is_skipped(tmp_path: Path) -> None:
    done = bench(TALKS, "--models", tmp_path)
    assert done.returncode == SKIPPED
    assert f"'gaia model pull {MODEL.name}'".replace("'", "`") in done.stderr
    assert str(tmp_path) in done.stderr


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    done = bench(tmp_path / "none.json", "--models", tmp_path)
    assert done.returncode == SKIPPED
    assert "none.json" in done.stderr
