"""`gaia sessions search`, as it is called."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.sessions import app
from gaia.errors import AmbiguousUserError, GaiaError, UnknownTimeError, UnknownUserError
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock
from tests.harness.archived import talk
from tests.harness.databases import opened


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def talked(home: Home, fresh_home: Home) -> None:
    """Of Ada, who talked of a boat in January and in March 2026, and Bob, who did not."""

    async def fill() -> None:
        database = await open_database(home)
        users = Users(database, FakeClock())
        ada = (await users.create("Ada", Role.OWNER)).user_id
        await users.create("Bob", Role.MEMBER)
        with database.writing() as session:
            talk(session, ada, "The boat\x1b[2J leaks", "Pump!", turn_id="t-1", said_at=START)
            long, later = "Of boats " + "and more " * 50, START + timedelta(days=70)
            talk(session, ada, long, "京都" * 60, turn_id="t-2", said_at=later)
        await database.close()

    shutil.copytree(fresh_home.root, home.root)
    asyncio.run(fill())


def run(home: Home, *arguments: str) -> Result:
    environ = {"GAIA_HOME": str(home.root), "COLUMNS": "80"}
    return CliRunner().invoke(app, ["search", *arguments], env=environ)


def failure(home: Home, *arguments: str) -> BaseException | None:
    return run(home, *arguments).exception


@pytest.mark.usefixtures("talked")
def test_a_table_fits_the_terminal_and_shows_the_best_first(home: Home) -> None:
    from rich.cells import cell_len

    heading, first, second = run(home, "boat", "leaks", "--user", "ada").stdout.splitlines()
    assert heading.split() == ["WHEN", "SAID", "ANSWERED"]
    assert first.startswith("2026-01-01 ")
    assert "The boat" in first
    assert "\x1b" not in first
    assert second.startswith("2026-03-12 ")
    assert max(map(cell_len, (heading, first, second))) <= 80


@pytest.mark.usefixtures("talked")
def test_without_words_it_lists_the_latest_of_a_time(home: Home) -> None:
    found = run(home, "-u", "Ada", "--since", "2026-02", "--json")
    assert [turn["turn_id"] for turn in json.loads(found.stdout)] == ["t-2"]
    both = json.loads(run(home, "-u", "Ada", "--until", "2026", "--json").stdout)
    assert [turn["turn_id"] for turn in both] == ["t-2", "t-1"]
    assert both[1]["asked"] == "The boat\x1b[2J leaks"
    assert both[1]["said_at"] == START.isoformat()


@pytest.mark.usefixtures("talked")
def test_what_was_said_in_a_context_is_shown_with_it(home: Home) -> None:
    from rich.cells import cell_len

    with opened(home).writing() as session:
        ada = identities.find(session, "Ada").user_id
        talk(session, ada, "The boat " * 20, "Yes. " * 20, turn_id="t-3", context="work")
    heading, *lines = run(home, "boat", "-u", "ada").stdout.splitlines()
    assert heading.split() == ["WHEN", "SAID", "ANSWERED", "CONTEXT"]
    assert [line.endswith(" work") for line in lines].count(True) == 1
    assert len(lines) == 3
    assert max(map(cell_len, (heading, *lines))) <= 80
    (told,) = json.loads(run(home, "boat", "-u", "ada", "-n", "1", "--json").stdout)
    assert told["context"] == "work"


@pytest.mark.usefixtures("talked")
def test_nothing_found_is_said(home: Home) -> None:
    found = run(home, "boat", "--user", "Bob")
    assert found.exit_code == 0
    assert found.stdout.startswith("Nothing like that is in the conversations of Bob: ")
    assert run(home, "boat", "--user", "Bob", "--json").stdout == "[]\n"


@pytest.mark.usefixtures("talked")
def test_what_is_wrong_is_named(home: Home) -> None:
    assert isinstance(failure(home, "--since", "soon", "-u", "Ada"), UnknownTimeError)
    assert isinstance(failure(home, "boat", "-u", "Grace"), UnknownUserError)
    several = failure(home, "boat")
    assert isinstance(several, AmbiguousUserError)
    assert "Ada, Bob" in str(several)


def test_a_home_without_users_is_left_as_it_is(home: Home) -> None:
    assert isinstance(failure(home, "boat"), GaiaError)
    assert not home.root.exists()
