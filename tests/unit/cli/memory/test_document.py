"""docs/memory.md says of the shell what the shell says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from gaia.cli.main import app
from gaia.cli.memory import app as memory_app
from gaia.memory.ledger import LONGEST_MEMORY

DOCUMENT = Path(__file__).parents[4] / "docs/memory.md"
TIMES = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d")


def blocks(language: str) -> list[str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def calls(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    return re.findall(r"^\$ gaia (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def test_the_examples_of_the_shell_print_what_they_print(
    shell, ada, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    env = {"GAIA_HOME": str(shell.home.root), "COLUMNS": "80"}
    done = 0
    for block in blocks("console"):
        for command, expected in calls(block):
            result = CliRunner().invoke(app, shlex.split(command), env=env)
            assert result.exception is None, (command, result.output)
            assert TIMES.sub("…", result.stdout) == TIMES.sub("…", expected), command
            done += 1
    assert done == 12


def test_the_example_of_an_explanation_has_its_form(shell, ada) -> None:
    (block,) = (each for each in blocks("text") if "--explain" in each)
    ((command, expected),) = calls(block)
    shell.done("add", "The gate code is under the blue pot")
    printed = shell.done(*shlex.split(command)[1:])

    def form(line: str) -> str:
        return re.sub(r"similarity|not near|[-+]?\d[\d.]*%?|words|meaning", "…", line).split("…")[0]

    assert [form(line) for line in printed.splitlines()] == [
        form(line) for line in expected.splitlines()
    ]


def test_every_command_of_the_shell_is_told() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    commands = typer.main.get_command(memory_app).commands  # type: ignore[attr-defined]
    for name in commands:
        assert f"gaia memory {name}" in text, name


def test_the_limits_are_those_that_hold() -> None:
    assert f"| one memory | {LONGEST_MEMORY:,} characters |" in DOCUMENT.read_text("utf-8")
