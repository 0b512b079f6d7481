"""`gaia audit` and what it can be asked for."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.main import app
from gaia.errors import UnknownUserError
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import audit
from gaia.store.audit import CLI, GAIA, Action
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock

ADA, EVE = Address("fake", "ada"), Address("fake", "eve")
DAY = timedelta(days=1)


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    home = Home(shutil.copytree(fresh_home.root, tmp_path / "home"))
    asyncio.run(_decide(home))
    return home


@pytest.fixture
def call(home: Home) -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        environment = {"GAIA_HOME": str(home.root)}
        return CliRunner().invoke(app, ("audit", *arguments), env=environment)

    return run


async def _decide(home: Home) -> None:
    """Over some days: Ada is let in, Eve is not, Bob comes and goes, settings change."""
    database = await open_database(home)
    clock = FakeClock()
    users = Users(database, clock, by=CLI)
    await users.create("Ada", Role.OWNER, ADA)
    await database.write(audit.record_denied, EVE, START + DAY)
    clock.advance(2 * DAY.total_seconds())
    bob = await users.create("Bob", Role.MEMBER)
    await users.set_role(bob, Role.GUEST)
    await users.remove(bob)
    with database.writing() as session:
        audit.record(session, Action.CONFIGURED, at=START + 5 * DAY, by=GAIA, detail="model.name")
        audit.record(session, Action.FORGOT, at=START + 5 * DAY, by=bob.user_id)
    await database.close()


def actions(result: Result) -> list[str]:
    assert result.exception is None, result.output
    return [entry["action"] for entry in json.loads(result.stdout)]


def test_json_has_all_of_it(call: Callable[..., Result]) -> None:
    result = call("--json")
    assert actions(result) == [
        "added",
        "denied",
        "added",
        "role changed",
        "removed",
        "configured",
        "forgot",
    ]
    entry = json.loads(result.stdout)[0]
    user_id = entry.pop("user_id")
    assert user_id.startswith("u_")
    assert entry == {
        "at": START.isoformat(),
        "action": "added",
        "by": "cli",
        "by_name": None,
        "name": "Ada",
        "channel": "fake",
        "sender": "ada",
        "detail": "owner",
    }


def test_it_can_be_asked_for_kinds(call: Callable[..., Result]) -> None:
    asked = ("--action", "role-changed", "--action", "Denied", "--json")
    assert actions(call(*asked)) == ["denied", "role changed"]


def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are(call) -> None:
    refused = call("--action", "hired")
    assert refused.exit_code == 2
    assert "'hired' is none of denied, code-made" in " ".join(refused.output.split())


def test_it_can_be_asked_for_a_user_by_name_and_for_one_who_is_gone_by_id(call) -> None:
    assert actions(call("--user", "ada", "--json")) == ["added"]
    gone = json.loads(call("--action", "removed", "--json").stdout)[0]["user_id"]
    about_and_by = ["added", "role changed", "removed", "forgot"]
    assert actions(call("--user", gone, "--json")) == about_and_by
    assert isinstance(call("--user", "bob").exception, UnknownUserError)


def test_it_can_be_asked_for_what_is_new(call: Callable[..., Result]) -> None:
    new_day = (START + 5 * DAY).date().isoformat()
    assert actions(call("--since", new_day, "--json")) == ["configured", "forgot"]
    assert (
        call("--since", "2027-01-01").stdout
        == "Nothing of that kind has been decided: 'gaia audit' lists everything.\n"
    )


def test_what_another_version_decided_is_listed_as_it_is(call, home: Home) -> None:
    async def decide() -> None:
        database = await open_database(home)
        with database.writing() as session:
            audit.record(session, "danced", at=datetime.now(UTC), by=GAIA)  # type: ignore[arg-type]
        await database.close()

    asyncio.run(decide())
    assert actions(call("-n", "1", "--json")) == ["danced"]
    assert "danced" in call().stdout
