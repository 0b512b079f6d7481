from __future__ import annotations

from typer.testing import CliRunner

from gaia import __version__
from gaia.cli.main import app


def test_the_version_can_be_asked_for_both_ways() -> None:
    for argument in ("version", "--version"):
        result = CliRunner().invoke(app, [argument])
        assert (result.exit_code, result.output) == (0, f"gaia {__version__}\n")


def test_every_command_tells_what_it_is_for_in_one_line() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).output.replace("COMMAND [ARGS]...", "")
