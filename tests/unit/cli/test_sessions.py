"""`gaia sessions`, as it is called."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from google.adk.events import Event
from google.genai import types
from typer.testing import CliRunner, Result

from gaia.cli.console import local_time
from gaia.cli.sessions import app
from gaia.errors import (
    AmbiguousUserError,
    GaiaError,
    StoreError,
    UnknownSessionError,
    UnknownUserError,
)
from gaia.messages import Address
from gaia.paths import Home
from gaia.sessions.service import AGENT_NAME, TURN_ID, stored_events
from gaia.store import sessions
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.sessions import SessionKey
from gaia.testing.clock import FakeClock
from tests.harness.sessions import add_turn

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def talked(home: Home, fresh_home: Home) -> dict[str, str]:
    """The ids of the sessions of Ada, who used a tool, and of Bob, by name."""
    shutil.copytree(fresh_home.root, home.root)
    return asyncio.run(talk(home))


async def talk(home: Home) -> dict[str, str]:
    database = await open_database(home)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    keys = {user.name: SessionKey(user.user_id, "terminal", user.name, 1) for user in (ada, bob)}
    call = types.FunctionCall(id="1", name="calculate", args={"expression": "6*7"})
    result = types.FunctionResponse(id="1", name="calculate", response={"result": "42"})
    said = enumerate(
        [
            ("user", types.Part(text="6 times 7?\x1b[2J")),
            (AGENT_NAME, types.Part(function_call=call)),
            (AGENT_NAME, types.Part(function_response=result)),
            (AGENT_NAME, types.Part(text="It is 42.")),
        ]
    )
    events = [
        Event(
            author=author,
            invocation_id="e-1",
            timestamp=NOON.timestamp() + second,
            content=types.Content(role="user" if author == "user" else "model", parts=[part]),
            custom_metadata={TURN_ID: "t1"},
        )
        for second, (author, part) in said
    ]
    await database.write(sessions.add, keys["Ada"], stored_events(events))
    await database.write(add_turn, keys["Bob"], "t2", "hello", "Hi.")
    await database.close()
    return {name: key.session_id for name, key in keys.items()}


async def with_users(home: Home, act: Callable[[Users], Awaitable[object]]) -> None:
    database = await open_database(home)
    await act(Users(database, FakeClock()))
    await database.close()


def run(home: Home, *arguments: str, login: str = "nobody") -> Result:
    env = {"GAIA_HOME": str(home.root), "LOGNAME": login}
    return CliRunner().invoke(app, arguments, env=env)


def done(home: Home, *arguments: str, login: str = "nobody") -> str:
    """What a call printed that ended well."""
    result = run(home, *arguments, login=login)
    assert result.exception is None, result.output
    return result.stdout


def failure(home: Home, *arguments: str) -> GaiaError:
    result = run(home, *arguments)
    assert isinstance(result.exception, GaiaError), result.output
    return result.exception


def test_an_empty_home_has_no_sessions_and_is_left_empty(home: Home) -> None:
    assert done(home, "list").startswith("There are no sessions now")
    assert json.loads(done(home, "list", "--json")) == []
    assert isinstance(failure(home, "show", "u_1:terminal:ada#1"), UnknownSessionError)
    assert not home.root.exists()


def test_sessions_are_listed_with_their_users(home: Home, talked: dict[str, str]) -> None:
    headings, *rows = (line.split() for line in done(home, "list", "--all").splitlines())
    assert headings == ["USER", "LAST", "USED", "EVENTS", "SESSION"]
    assert {(row[0], row[-2], row[-1]) for row in rows} == {
        ("Ada", "4", talked["Ada"]),
        ("Bob", "2", talked["Bob"]),
    }


def test_one_users_sessions_are_listed_alone(home: Home, talked: dict[str, str]) -> None:
    (only,) = json.loads(done(home, "list", "--user", "ada", "--json"))
    assert only == {
        "session_id": talked["Ada"],
        "user_id": talked["Ada"].split(":")[0],
        "user": "Ada",
        "events": 4,
        "updated_at": "2026-01-01T12:00:03+00:00",
    }
    assert isinstance(failure(home, "list", "--user", "Grace"), UnknownUserError)


def test_without_a_name_the_logins_own_are_listed(home: Home, talked: dict[str, str]) -> None:
    async def link(users: Users) -> None:
        await users.link(await users.find("Ada"), Address("terminal", "ada"))

    asyncio.run(with_users(home, link))
    (own,) = json.loads(done(home, "list", "--json", login="ada"))
    assert own["session_id"] == talked["Ada"]
    assert isinstance(failure(home, "list"), AmbiguousUserError)
    assert run(home, "list", "--user", "Ada", "--all").exit_code == 2


def test_a_session_is_shown_as_a_transcript(home: Home, talked: dict[str, str]) -> None:
    at = local_time(NOON)[:-1]
    assert done(home, "show", talked["Ada"]) == (
        f"{at}0  Ada\n6 times 7?\n\n"
        f'{at}1  gaia\ncalls calculate {{"expression": "6*7"}}\n\n'
        f'{at}2  gaia\nresult of calculate {{"result": "42"}}\n\n'
        f"{at}3  gaia\nIt is 42.\n"
    )


def test_a_session_is_shown_as_json(home: Home, talked: dict[str, str]) -> None:
    shown = json.loads(done(home, "show", talked["Ada"], "--json"))
    assert [entry["text"] for entry in shown] == ["6 times 7?\x1b[2J", "", "", "It is 42."]
    assert shown[1]["calls"] == [{"tool": "calculate", "arguments": {"expression": "6*7"}}]
    assert shown[2]["results"] == [{"tool": "calculate", "response": {"result": "42"}}]
    assert {entry["turn_id"] for entry in shown} == {"t1"}
    assert shown[0]["at"] == "2026-01-01T12:00:00+00:00"


def test_the_limit_keeps_the_last_events(home: Home, talked: dict[str, str]) -> None:
    (last,) = json.loads(done(home, "show", talked["Ada"], "--limit", "1", "--json"))
    assert last["text"] == "It is 42."
    assert run(home, "show", talked["Ada"], "--limit", "0").exit_code == 2


def test_a_name_shows_their_latest_session(home: Home, talked: dict[str, str]) -> None:
    assert done(home, "show", "ada") == done(home, "show", talked["Ada"])
    assert "Hi." in done(home, "show", "Bob")
    assert "did you mean Bob?" in str(failure(home, "show", "Bop"))
    asyncio.run(with_users(home, lambda users: users.create("Eve", Role.MEMBER)))
    assert "Eve has no session now" in str(failure(home, "show", "Eve"))


def test_without_a_name_the_logins_own_user_is_meant(home: Home, talked: dict[str, str]) -> None:
    async def link(users: Users) -> None:
        await users.link(await users.find("Bob"), Address("terminal", "bobby"))

    asyncio.run(with_users(home, link))
    assert "Hi." in done(home, "show", login="bobby")
    assert done(home, "search", login="bobby").startswith("There are no conversations of Bob yet: ")
    assert isinstance(failure(home, "show"), AmbiguousUserError)
    assert "say who is meant: Ada, Bob" in str(failure(home, "search"))


def test_an_unknown_id_brings_near_ones(home: Home, talked: dict[str, str]) -> None:
    error = failure(home, "show", talked["Ada"].replace("#1", "#2"))
    assert isinstance(error, UnknownSessionError)
    assert f"did you mean {talked['Ada']}" in str(error)


@pytest.mark.sqlite
def test_a_file_that_cannot_be_read_is_named_and_left(home: Home, talked: dict[str, str]) -> None:
    home.database.write_bytes(b"Dear diary, " * 1000)
    for arguments in (("list",), ("show", talked["Ada"])):
        error = failure(home, *arguments)
        assert isinstance(error, StoreError)
        assert "gaia.db' is damaged" in str(error)
    assert home.database.read_bytes() == b"Dear diary, " * 1000
