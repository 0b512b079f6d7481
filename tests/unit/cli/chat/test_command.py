from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from gaia.cli.chat import chat_command

HEAVY = {
    "google",
    "openai",
    "prompt_toolkit",
    "pydantic",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "websockets",
    "xllamacpp",
}


def test_reading_the_command_imports_nothing_heavy() -> None:
    code = (
        "import sys, gaia.cli.chat; "
        "loaded = (name for name, module in sys.modules.items() if module); "
        "print(*{name.split('.')[0] for name in loaded})"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(loaded.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-m", "  "], "--message is empty"),
        (["-m", "hello", "--user", " "], "a name has 1 to 255 characters"),
        (["-m", "hello", "--user", "x" * 256], "a name has 1 to 255 characters"),
    ],
)
def test_what_makes_no_sense_is_a_mistake_of_usage(arguments: list[str], complaint: str) -> None:
    app = typer.Typer()
    app.command()(chat_command)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert complaint in result.output
