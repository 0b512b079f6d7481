"""`gaia memory forget` where no daemon runs: it is gone when the command ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia.cli import memory, users
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from tests.harness.traces import files_with


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    home = Home(shutil.copytree(fresh_home.root, tmp_path / "home"))
    run(users.app, home, "add", "Ada", "--role", "owner")
    run(memory.app, home, "add", "the gate code is under the blue pot")
    run(memory.app, home, "add", "the cat is called Tom")
    return home


def run(app, home: Home, *arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, env={"GAIA_HOME": str(home.root)})
    assert result.exception is None, result.output
    return result.stdout


def test_no_file_holds_it_when_the_command_ends(home: Home) -> None:
    assert files_with(home.root, "blue pot") == ["gaia.db"]
    said = run(memory.app, home, "forget", "gate", "code", "--yes")
    assert "No file holds anything of it any more." in said
    assert files_with(home.root, "blue pot", "gate code") == []
    assert "Tom" in run(memory.app, home, "list")


def test_everything_goes_as_well(home: Home) -> None:
    told = json.loads(run(memory.app, home, "forget", "--all", "--yes", "--json"))
    assert told == {"forgotten": 2, "messages": 0, "running": False, "done": True}
    assert files_with(home.root, "blue pot", "called tom") == []


def test_a_daemon_that_just_starts_does_it_itself(home: Home) -> None:
    with DaemonLock(home):
        said = run(memory.app, home, "forget", "gate", "code", "--yes")
    assert "erased when gaia runs next" in said
    assert "blue pot" not in run(memory.app, home, "list")
