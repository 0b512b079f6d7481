"""`gaia users pair|pending|approve` and `gaia audit`, as they are called."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy.orm import Session
from typer.testing import CliRunner, Result

from gaia.cli.main import app
from gaia.clock import SystemClock
from gaia.core import pairing
from gaia.errors import GroupUserError, UnknownCodeError, UnknownUserError
from gaia.messages import Address, Inbound
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people import pairings
from gaia.store.people.pairings import Pairing, new_code, read_code
from gaia.store.people.users import Role, User

T = TypeVar("T")

EVE = Address("telegram", "7")
NOW = SystemClock().now()


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    return Home(shutil.copytree(fresh_home.root, tmp_path / "home"))


@pytest.fixture
def call(home: Home) -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments, env={"GAIA_HOME": str(home.root)})

    return run


def done(result: Result) -> str:
    assert result.exception is None, result.output
    return result.stdout


def on_disk(home: Home, act: Callable[[Session], T]) -> T:
    async def run() -> T:
        home.create()
        database = await open_database(home)
        made = await database.write(act)
        await database.close()
        return made

    return asyncio.run(run())


def message(address: Address, *, direct: bool = True) -> Inbound:
    return Inbound(
        address,
        address.sender,
        "m1",
        "hello",
        NOW,
        direct=direct,
        sender_name="Eve",
        chat_title=None if direct else "Family",
    )


def ask_to_be_let_in(home: Home, address: Address = EVE, *, direct: bool = True) -> str:
    """The code that a stranger was given."""

    def act(session: Session) -> str:
        code = new_code()
        pairing.request(session, code, message(address, direct=direct), NOW)
        return code.shown

    return on_disk(home, act)


def send(home: Home, code: str, address: Address = EVE) -> User | None:
    """The user who somebody becomes by sending a code."""

    def act(session: Session) -> User | None:
        waiting: list[Pairing] = list(pairings.to_send_back(session, NOW))
        found = pairings.matching(read_code(code) or "", waiting)
        return pairing.pair(session, found, message(address), NOW) if found else None

    return on_disk(home, act)


def listed(call: Callable[..., Result]) -> dict[str, dict[str, object]]:
    return {user["name"]: user for user in json.loads(done(call("users", "list", "--json")))}


def test_without_a_database_nothing_is_made(call, home: Home) -> None:
    shutil.rmtree(home.root)
    assert (
        done(call("users", "pending"))
        == "Nobody is waiting for access: 'gaia users pair' makes a code that lets somebody in.\n"
    )
    assert done(call("users", "pending", "--json")) == "[]\n"
    assert (done(call("audit"))).startswith("Nothing has been decided yet. ")
    assert not home.root.exists()


def test_the_first_owner_pairs_without_any_terminal(call, home: Home) -> None:
    first, second, third = done(call("users", "pair")).splitlines()
    assert third.startswith("No channel is on that could take it: 'gaia setup'")
    assert second == (
        "It is valid for an hour. Whoever writes it is a new user, called as they call "
        "themselves, an owner."
    )
    eve = send(home, first.rpartition(" ")[2])
    assert eve is not None
    assert (eve.name, eve.role) == ("Eve", Role.OWNER)


def test_the_only_owner_is_whom_a_code_is_for_by_default(call, home: Home) -> None:
    done(call("users", "add", "Ada", "--role", "owner"))
    made = json.loads(done(call("users", "pair", "--json")))
    assert (made["name"], made["role"], made["user_id"]) == (
        "Ada",
        "owner",
        listed(call)["Ada"]["user_id"],
    )
    assert "Whoever writes it is Ada, an owner.\n" in done(call("users", "pair", "ada"))
    assert send(home, made["code"]) is None, "a newer one took its place"


def test_of_several_owners_one_must_be_named(call) -> None:
    for name in ("Ada", "Bob"):
        done(call("users", "add", name, "--role", "owner"))
    result = call("users", "pair")
    assert result.exit_code == 2
    assert "there are several owners: say which of Ada, Bob" in " ".join(result.stderr.split())
    assert "Whoever writes it is Bob, an owner.\n" in done(call("users", "pair", "Bob"))


def test_a_new_user_may_be_invited_by_name_and_role(call, home: Home) -> None:
    code = json.loads(done(call("users", "pair", "Grace", "--role", "guest", "--json")))["code"]
    grace = send(home, code)
    assert grace is not None
    assert (grace.name, grace.role) == ("Grace", Role.GUEST)
    code = json.loads(done(call("users", "pair", "--role", "member", "--json")))["code"]
    eve = send(home, code, Address("telegram", "8"))
    assert eve is not None
    assert (eve.name, eve.role) == ("Eve", Role.MEMBER)


def test_a_role_for_somebody_who_has_one_is_a_usage_error(call) -> None:
    done(call("users", "add", "Ada"))
    result = call("users", "pair", "Ada", "--role", "owner")
    assert result.exit_code == 2
    assert "Ada is a member: 'gaia users role' changes that" in " ".join(result.stderr.split())


def test_who_asks_is_listed_without_their_code(call, home: Home) -> None:
    code = ask_to_be_let_in(home)
    ask_to_be_let_in(home, Address("telegram", "-100"), direct=False)
    table = done(call("users", "pending"))
    assert [line.split()[:4] for line in table.splitlines()] == [
        ["NUMBER", "NAME", "KIND", "ADDRESS"],
        ["1", "Eve", "person", "telegram:7"],
        ["2", "Family", "group", "telegram:-100"],
    ]
    as_json = done(call("users", "pending", "--json"))
    assert [(one["number"], one["is_group"]) for one in json.loads(as_json)] == [
        (1, False),
        (2, True),
    ]
    assert code not in table + as_json


@pytest.mark.parametrize("by", ["code", "number"])
def test_somebody_is_let_in(call, home: Home, by: str) -> None:
    code = ask_to_be_let_in(home)
    assert done(call("users", "approve", code.lower() if by == "code" else "1")) == (
        "telegram:7 is Eve now, a member. They are told when gaia runs.\n"
    )
    assert listed(call)["Eve"]["addresses"] == [{"channel": "telegram", "sender": "7"}]
    assert (
        done(call("users", "pending"))
        == "Nobody is waiting for access: 'gaia users pair' makes a code that lets somebody in.\n"
    )
    again = call("users", "approve", code)
    assert isinstance(again.exception, UnknownCodeError)
    assert code not in str(again.exception)


def test_somebody_is_let_in_under_a_name_with_a_role(call, home: Home) -> None:
    code = ask_to_be_let_in(home)
    arguments = ("users", "approve", code, "--name", "E.", "--role", "owner", "--json")
    let_in = json.loads(done(call(*arguments)))
    assert (let_in["name"], let_in["role"], let_in["running"]) == ("E.", "owner", False)


def test_somebody_is_let_in_as_a_user_who_is_known(call, home: Home) -> None:
    done(call("users", "add", "Ada"))
    code = ask_to_be_let_in(home)
    assert call("users", "approve", code, "--as", "Ada", "--role", "guest").exit_code == 2
    unknown = call("users", "approve", code, "--as", "Bob")
    assert isinstance(unknown.exception, UnknownUserError)
    assert done(call("users", "approve", code, "--as", "ada")).startswith("telegram:7 is Ada now")
    assert list(listed(call)) == ["Ada"]


def test_a_group_is_neither_an_owner_nor_a_person(call, home: Home) -> None:
    done(call("users", "add", "Ada"))
    code = ask_to_be_let_in(home, direct=False)
    for option in (("--role", "owner"), ("--as", "Ada")):
        refused = call("users", "approve", code, *option)
        assert isinstance(refused.exception, GroupUserError)
    assert done(call("users", "approve", code)).startswith("telegram:7 is Family now, a guest.")
    for arguments in (("role", "Family", "owner"), ("pair", "Family")):
        assert isinstance(call("users", *arguments).exception, GroupUserError)
    assert listed(call)["Family"]["role"] == "guest"


def test_the_audit_tells_who_did_what_to_whom(call, home: Home) -> None:
    done(call("users", "add", "Ada", "--role", "owner"))
    code = ask_to_be_let_in(home)
    done(call("users", "approve", code, "--name", "Grace"))
    code = json.loads(done(call("users", "pair", "Ada", "--json")))["code"]
    send(home, code, Address("telegram", "8"))
    lines = [line.split()[2:] for line in done(call("audit")).splitlines()[1:]]
    assert lines == [
        ["added", "cli", "Ada", "owner"],
        ["code", "made", "gaia", "telegram:7", "request"],
        ["approved", "cli", "Grace", "telegram:7", "member"],
        ["code", "made", "cli", "Ada", "invitation"],
        ["paired", "Ada", "Ada", "telegram:8", "owner"],
    ]
    (last,) = json.loads(done(call("audit", "-n", "1", "--json")))
    assert (last["action"], last["name"], last["sender"]) == ("paired", "Ada", "8")


def test_changes_on_the_command_line_are_those_of_the_command_line(call, home: Home) -> None:
    done(call("users", "add", "Ada"))
    done(call("users", "link", "Ada", "telegram", "7"))
    done(call("users", "unlink", "telegram", "7"))
    done(call("users", "role", "Ada", "guest"))
    done(call("users", "remove", "Ada", "--yes"))
    entries = json.loads(done(call("audit", "--json")))
    assert [(entry["action"], entry["by"]) for entry in entries] == [
        ("added", "cli"),
        ("linked", "cli"),
        ("unlinked", "cli"),
        ("role changed", "cli"),
        ("removed", "cli"),
        ("forgotten", "cli"),
    ]
    assert {entry["sender"] for entry in entries} == {None}
