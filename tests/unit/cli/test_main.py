from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from gaia import __version__
from gaia.cli.main import app
from gaia.paths import Home


def test_the_version_can_be_asked_for_both_ways() -> None:
    for argument in ("version", "--version"):
        result = CliRunner().invoke(app, [argument])
        assert (result.exit_code, result.output) == (0, f"gaia {__version__}\n")


def test_every_command_tells_what_it_is_for_in_one_line() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).output.replace("COMMAND [ARGS]...", "")


def test_an_error_is_told_without_what_looks_like_a_key(tmp_path: Path, fresh_home: Home) -> None:
    home = shutil.copytree(fresh_home.root, tmp_path / "home")
    # In a process of its own, since `main` ends the one that it runs in.
    done = subprocess.run(
        [sys.executable, "-m", "gaia", "users", "role", "sk-canary0123456789abc", "owner"],
        env={**os.environ, "GAIA_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "[redacted]" in done.stderr
    assert "canary" not in done.stderr
