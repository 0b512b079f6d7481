"""`gaia outbox`, as it is called."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.outbox import app
from gaia.errors import UnknownChunkError
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import chunk_states, conversations, outbox
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.tables import OutboxState
from gaia.testing.clock import FakeClock


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    return Home(shutil.copytree(fresh_home.root, tmp_path / "home"))


@pytest.fixture
def given_up(home: Home) -> None:
    """A reply of three chunks to Ada, given up at its second, and one that waits."""
    home.create()
    asyncio.run(write(home))


async def write(home: Home) -> None:
    clock = FakeClock()
    database = await open_database(home)
    ada = await Users(database, clock).create("Ada", Role.OWNER, Address("telegram", "7"))
    with database.writing() as session:
        conversation = conversations.find_or_create(
            session,
            user_id=ada.user_id,
            channel="telegram",
            chat="7",
            direct=True,
            now=clock.now(),
        )
        for turn_id, chunks in (("t1", ("one", "two", "three")), ("t2", ("four",))):
            outbox.add(
                session,
                conversation_id=conversation.conversation_id,
                turn_id=turn_id,
                chunks=chunks,
                now=clock.now(),
            )
        chunk_states.mark_taken(session, 1, "m1")
        second = outbox.next_due(session, conversation.conversation_id)
        assert second is not None
        chunk_states.end_reply(session, second.chunk, error="the bot was blocked")
    await database.close()


@pytest.fixture
def call(home: Home, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("GAIA_HOME", str(home.root))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments, catch_exceptions=True)

    return run


def listed(result: Result) -> list[tuple[int, str]]:
    return [(one["outbox_id"], one["state"]) for one in json.loads(result.stdout)]


def test_without_a_database_everything_has_been_delivered(call) -> None:
    assert call("list").stdout == "Everything has been delivered: there is nothing to do.\n"
    assert call("list", "--dead", "--json").stdout == "[]\n"
    assert call("retry", "--dead").stdout.startswith("Nothing was given up, ")


def test_the_list_tells_what_waits_and_what_was_given_up_and_why(call, given_up: None) -> None:
    shown = call("list").stdout.splitlines()
    assert shown[0].split() == ["ID", "STATE", "FOR", "CHANNEL", "WRITTEN", "ATTEMPTS", "CAUSE"]
    assert [line.split()[:4] for line in shown[1:]] == [
        ["2", "dead", "Ada", "telegram"],
        ["3", "dead", "Ada", "telegram"],
        ["4", "pending", "Ada", "telegram"],
    ]
    assert shown[1].endswith("the bot was blocked")
    assert "three" not in call("list", "--json").stdout
    assert listed(call("list", "--json")) == [(2, "dead"), (3, "dead"), (4, "pending")]


def test_the_list_of_the_dead_leaves_out_what_waits(call, given_up: None) -> None:
    assert listed(call("list", "--dead", "--json")) == [(2, "dead"), (3, "dead")]


def test_a_retry_of_all_lets_them_be_sent_again(call, given_up: None) -> None:
    assert call("retry", "--dead").stdout == "2 messages will be tried again when gaia runs.\n"
    assert listed(call("list", "--json")) == [(2, "pending"), (3, "pending"), (4, "pending")]


def test_a_retry_by_id_takes_that_one(call, given_up: None) -> None:
    assert json.loads(call("retry", "2", "--json").stdout) == {"retried": [2], "running": False}
    assert listed(call("list", "--dead", "--json")) == [(3, OutboxState.DEAD)]


@pytest.mark.parametrize("outbox_id", ["1", "4", "99"])
def test_what_was_not_given_up_cannot_be_tried_again(call, given_up: None, outbox_id: str) -> None:
    result = call("retry", outbox_id, "2")
    assert isinstance(result.exception, UnknownChunkError)
    assert f"id {outbox_id} was given up" in str(result.exception)
    assert listed(call("list", "--dead", "--json")) == [(2, "dead"), (3, "dead")]


@pytest.mark.parametrize("arguments", [(), ("2", "--dead")])
def test_a_retry_wants_ids_or_all(call, arguments: tuple[str, ...]) -> None:
    result = call("retry", *arguments)
    assert result.exit_code == 2
    assert "--dead" in result.stderr
