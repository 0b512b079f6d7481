"""A command that has nothing to show says what to do next."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia.cli.main import app
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock

NEXT = re.compile(r"'gaia [a-z]|--days|nothing to (do|try again|take up)|, or see |while it runs")
"""A command to give, an option to add, or that there is nothing to be done."""

OF_NOBODY = (
    "users list",
    "users pending",
    "memory list",
    "memory list --pending",
    "memory search boat",
    "memory why 1",
    "memory stats",
    "memory people",
    "memory upkeep",
    "memory forget boat --yes",
    "memory export",
    "sessions list",
    "sessions show 1",
    "sessions search",
    "sessions search boat",
    "outbox list",
    "outbox list --dead",
    "outbox retry --dead",
    "jobs",
    "audit",
    "audit --action role-changed",
    "costs",
    "logs",
    "model verify",
    "grow list",
    "grow undo",
    "backup list",
    "backup verify",
    "backup restore latest",
    "config check",
    "config diff --defaults",
    "status",
)
OF_SOMEBODY = (
    "memory list",
    "memory list --pending",
    "memory search boat",
    "memory why 1",
    "memory people",
    "memory people Zoe",
    "memory upkeep",
    "memory forget boat --yes",
    "sessions list",
    "sessions show 1",
    "sessions search",
    "sessions search boat",
)


def told(home: Path, command: str) -> str:
    environment = {"GAIA_HOME": str(home), "COLUMNS": "80"}
    result = CliRunner().invoke(app, command.split(), env=environment)
    return f"{result.output} {result.exception or ''}"


@pytest.mark.parametrize("command", OF_NOBODY)
def test_in_an_empty_home(tmp_path: Path, command: str) -> None:
    assert NEXT.search(told(tmp_path / "home", command)), told(tmp_path / "home", command)


@pytest.mark.parametrize("command", OF_SOMEBODY)
def test_of_somebody_who_said_nothing(tmp_path: Path, fresh_home: Home, command: str) -> None:
    home = Home(shutil.copytree(fresh_home.root, tmp_path / "home"))

    async def add() -> None:
        database = await open_database(home)
        await Users(database, FakeClock()).create("Ada", Role.OWNER)
        await database.close()

    asyncio.run(add())
    assert NEXT.search(told(home.root, command)), told(home.root, command)
