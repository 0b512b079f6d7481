"""`gaia users`, as it is called."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.users import RoleName, app
from gaia.errors import (
    AddressTakenError,
    GaiaError,
    LastOwnerError,
    UnknownUserError,
    UserNameTakenError,
)
from gaia.paths import Home
from gaia.store import sessions
from gaia.store.opener import open_database
from gaia.store.people.users import Role
from gaia.store.sessions import SessionKey
from tests.harness.sessions import add_turn
from tests.harness.traces import all_bytes


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def run(home: Home, *arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(app, arguments, env={"GAIA_HOME": str(home.root)}, input=answer)


def done(home: Home, *arguments: str, answer: str = "") -> str:
    """What a call printed that ended well."""
    result = run(home, *arguments, answer=answer)
    assert result.exception is None, result.output
    return result.stdout


def failure(home: Home, *arguments: str) -> GaiaError:
    result = run(home, *arguments)
    assert isinstance(result.exception, GaiaError), result.output
    return result.exception


def listed(home: Home) -> dict[str, dict[str, object]]:
    return {user["name"]: user for user in json.loads(done(home, "list", "--json"))}


async def talk(home: Home, user_id: str, text: str) -> None:
    database = await open_database(home)
    key = SessionKey(user_id, "terminal", "chat", 1)
    await database.write(add_turn, key, "t1", text, "I see.")
    await database.close()


async def users_with_sessions(home: Home) -> list[str]:
    database = await open_database(home)
    ids = [summary.user_id for summary in await database.read(sessions.listed)]
    await database.close()
    return ids


def test_an_empty_home_has_no_users_and_is_left_empty(home: Home) -> None:
    assert done(home, "list").startswith("There are no users yet")
    assert json.loads(done(home, "list", "--json")) == []
    assert not home.root.exists()


def test_an_added_user_is_listed(home: Home) -> None:
    assert done(home, "add", "Ada", "--role", "owner").startswith("Added Ada, an owner, as u_")
    assert done(home, "add", "Bob").startswith("Added Bob, a member, as u_")
    added = json.loads(done(home, "add", "李雷", "--role", "guest", "--json"))
    assert listed(home)["李雷"] == added

    lines = done(home, "list").splitlines()
    assert lines[0].split() == ["NAME", "ROLE", "ADDRESSES", "ID"]
    assert [line.split()[:3] for line in lines[1:]] == [
        ["Ada", "owner", "none"],
        ["Bob", "member", "none"],
        ["李雷", "guest", "none"],
    ]


def test_who_is_added_learns_how_to_come_in(home: Home) -> None:
    told = done(home, "add", "Ada Lovelace").splitlines()
    assert told[1].startswith("No channel is on but the terminal: 'gaia setup'")
    assert "'gaia users link 'Ada Lovelace' terminal LOGIN'" in told[1]
    home.settings_file.write_text("channels: {telegram: {enabled: true}}\n")
    told = done(home, "add", "Bob").splitlines()
    assert told[1:] == ["'gaia users pair Bob' makes a code: whoever writes it is Bob."]


def test_a_linked_address_is_listed_and_an_unlinked_one_is_not(home: Home) -> None:
    done(home, "add", "Ada")
    assert done(home, "link", "ada", "terminal", "ada") == "terminal:ada is Ada now.\n"
    assert listed(home)["Ada"]["addresses"] == [{"channel": "terminal", "sender": "ada"}]
    assert done(home, "unlink", "terminal", "ada") == "terminal:ada is now linked to nobody.\n"
    assert listed(home)["Ada"]["addresses"] == []


def test_an_unknown_channel_is_a_usage_error(home: Home) -> None:
    done(home, "add", "Ada")
    result = run(home, "link", "Ada", "pigeon", "ada")
    assert result.exit_code == 2
    assert "'pigeon' is not a channel: use one of terminal" in " ".join(result.stderr.split())


@pytest.mark.parametrize("sender", ["+4915112345678", "ID.4566546130240823"])
def test_a_number_or_an_id_on_whatsapp_is_linked(home: Home, sender: str) -> None:
    done(home, "add", "Ada")
    assert done(home, "link", "ada", "whatsapp", sender) == f"whatsapp:{sender} is Ada now.\n"


@pytest.mark.parametrize(
    ("channel", "sender"),
    [
        ("terminal", " "),
        ("telegram", "@ada"),
        ("whatsapp", "+49 151"),
        ("whatsapp", "4915112345678"),
        ("whatsapp", "015112345678"),
        ("whatsapp", "+0"),
    ],
)
def test_an_address_that_a_channel_would_never_meet_is_refused(
    home: Home, channel: str, sender: str
) -> None:
    done(home, "add", "Ada")
    result = run(home, "link", "Ada", channel, sender)
    assert result.exit_code == 2
    assert f"{sender!r} is not a" in " ".join(result.stderr.split())
    assert listed(home)["Ada"]["addresses"] == []


@pytest.mark.parametrize("sender", ["+4915112345678", "US.ENT.11815799212886844830"])
def test_a_number_with_its_plus_and_an_opaque_id_are_addresses(home: Home, sender: str) -> None:
    done(home, "add", "Ada")
    done(home, "link", "Ada", "whatsapp", sender)
    assert listed(home)["Ada"]["addresses"] == [{"channel": "whatsapp", "sender": sender}]


def test_a_role_is_changed(home: Home) -> None:
    done(home, "add", "Ada")
    assert done(home, "role", "ada", "owner") == "Ada is an owner now.\n"
    assert listed(home)["Ada"]["role"] == "owner"
    assert run(home, "role", "Ada", "king").exit_code == 2


def test_the_roles_are_those_of_the_store() -> None:
    assert [role.value for role in RoleName] == [role.value for role in Role]


def test_mistakes_are_named(home: Home) -> None:
    done(home, "add", "Ada", "--role", "owner")
    done(home, "link", "Ada", "terminal", "ada")
    done(home, "add", "Bob")
    assert isinstance(failure(home, "add", "ADA"), UserNameTakenError)
    assert isinstance(failure(home, "link", "Bob", "terminal", "ada"), AddressTakenError)
    assert isinstance(failure(home, "role", "Ada", "guest"), LastOwnerError)
    unknown = failure(home, "role", "Adda", "owner")
    assert isinstance(unknown, UnknownUserError)
    assert "did you mean Ada?" in str(unknown)


def test_remove_asks_first(home: Home) -> None:
    done(home, "add", "Bob")
    refused = run(home, "remove", "Bob", answer="n\n")
    assert refused.exit_code == 1
    assert "Remove Bob (member, u_" in refused.stdout
    assert "Bob" in listed(home)

    assert done(home, "remove", "Bob", answer="y\n").endswith("Removed Bob.\n")
    assert listed(home) == {}


def test_remove_without_anybody_to_answer_removes_nothing(home: Home) -> None:
    done(home, "add", "Bob")
    assert run(home, "remove", "Bob").exit_code == 1
    assert "Bob" in listed(home)


def test_remove_leaves_no_word_of_theirs_in_any_file(home: Home) -> None:
    done(home, "add", "Ada")
    done(home, "add", "Bobby")
    ada, bob = (str(listed(home)[name]["user_id"]) for name in ("Ada", "Bobby"))
    asyncio.run(talk(home, ada, "tea at five"))
    asyncio.run(talk(home, bob, "the cake is in the cellar"))

    assert done(home, "remove", "Bobby", "--yes") == "Removed Bobby.\n"

    assert asyncio.run(users_with_sessions(home)) == [ada]
    kept = all_bytes(home)
    assert b"tea at five" in kept
    assert b"cellar" not in kept
    assert b"Bobby" not in kept


def test_the_last_owner_keeps_their_sessions_too(home: Home) -> None:
    done(home, "add", "Ada", "--role", "owner")
    ada = str(listed(home)["Ada"]["user_id"])
    asyncio.run(talk(home, ada, "tea at five"))
    assert isinstance(failure(home, "remove", "Ada", "--yes"), LastOwnerError)
    assert asyncio.run(users_with_sessions(home)) == [ada]
