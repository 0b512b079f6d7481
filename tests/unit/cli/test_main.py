from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia import __version__
from gaia.cli.main import app, main
from gaia.paths import Home


def test_the_version_can_be_asked_for_both_ways() -> None:
    for argument in ("version", "--version"):
        result = CliRunner().invoke(app, [argument])
        assert (result.exit_code, result.output) == (0, f"gaia {__version__}\n")


def test_every_command_tells_what_it_is_for_in_one_line() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).output.replace("COMMAND [ARGS]...", "")


def test_an_error_is_told_without_what_looks_like_a_key(
    tmp_path: Path,
    fresh_home: Home,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = shutil.copytree(fresh_home.root, tmp_path / "home")
    monkeypatch.setenv("GAIA_HOME", str(home))
    monkeypatch.setattr(sys, "argv", ["gaia", "users", "role", "sk-canary0123456789abc", "owner"])
    with pytest.raises(SystemExit) as ended:
        main()
    error = capsys.readouterr().err
    assert ended.value.code == 1
    assert "[redacted]" in error
    assert "canary" not in error
