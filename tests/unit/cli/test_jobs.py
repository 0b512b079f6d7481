"""`gaia jobs`: what ran, how late, how it went, and when it is next."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.main import app
from gaia.paths import Home
from gaia.store import job_runs
from gaia.store.opener import open_database
from gaia.testing.clock import START

HOUR = timedelta(hours=1)


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    return Home(shutil.copytree(fresh_home.root, tmp_path / "home"))


@pytest.fixture
def call(home: Home) -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        environment = {"GAIA_HOME": str(home.root), "COLUMNS": "80"}
        return CliRunner().invoke(app, ("jobs", *arguments), env=environment)

    return run


async def run_some(home: Home) -> None:
    """A backup that failed, an upkeep that was late, one that was cut, one yet to come."""
    database = await open_database(home)
    with database.writing() as session:
        job_runs.begin(session, "backup", due_at=START, now=START)
        job_runs.finish(session, "backup", START + HOUR, error="BackupError: " + "no " * 50)
        job_runs.plan(session, "backup", START + HOUR)
        job_runs.begin(session, "cut", due_at=START, now=START)
        job_runs.expect(session, "new", START + 24 * HOUR)
        job_runs.begin(session, "upkeep", due_at=START, now=START + 5 * HOUR)
        job_runs.finish(session, "upkeep", START + 6 * HOUR)
    await database.close()


def test_each_job_says_how_its_last_run_went(call: Callable[..., Result], home: Home) -> None:
    asyncio.run(run_some(home))
    backup, cut, new, upkeep = json.loads(call("--json").stdout)
    states = [each["state"] for each in (backup, cut, new, upkeep)]
    assert states == ["failed", "interrupted", "waits", "ok"]
    assert backup["error"].startswith("BackupError: no")
    assert upkeep == {
        "name": "upkeep",
        "due_at": START.isoformat(),
        "started_at": (START + 5 * HOUR).isoformat(),
        "finished_at": (START + 6 * HOUR).isoformat(),
        "late_seconds": 5 * 3600,
        "state": "ok",
        "error": None,
        "attempts": 1,
        "succeeded_at": (START + 6 * HOUR).isoformat(),
        "next_at": None,
    }


def test_a_reader_gets_it_in_eighty_columns(call: Callable[..., Result], home: Home) -> None:
    asyncio.run(run_some(home))
    lines = call().stdout.splitlines()
    assert lines[0].split() == ["JOB", "LAST", "RUN", "DELAY", "RESULT", "NEXT", "RUN"]
    assert [line.split()[0] for line in lines[1:5]] == ["backup", "cut", "new", "upkeep"]
    assert " 5 h " in lines[4]
    assert lines[5].startswith("backup: BackupError: no")
    assert lines[6].startswith("gaia does not run")
    assert max(map(len, lines)) <= 80


def test_where_gaia_never_ran_there_is_nothing_to_list(call: Callable[..., Result]) -> None:
    assert call().stdout.startswith("No job has been scheduled yet")
    assert json.loads(call("--json").stdout) == []
