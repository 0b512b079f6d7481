"""`gaia grow`: nothing changes without a yes, and what changed is undone."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import timedelta
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.grow import app
from gaia.clock import SystemClock
from gaia.errors import GaiaError, UpkeepError
from gaia.memory import archive, ledger
from gaia.memory.contexts import GLOBAL
from gaia.memory.memory import Memory
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.store import conversations
from gaia.store.archive import Ended
from gaia.store.memory_tables import MemoryStatus
from gaia.store.opener import open_database
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.people import identities
from gaia.store.people.identities import Role

REQUEST = "Shorter answers, please"
KEY = "limits.user_tokens_per_day"


class Shell:
    def __init__(self, home: Home) -> None:
        self.home = home

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, arguments, env={"GAIA_HOME": str(self.home.root)})

    def read(self, *arguments: str) -> Any:
        result = self.run(*arguments, "--json")
        assert result.exception is None, (result.output, result.exception)
        return json.loads(result.stdout)

    def failure(self, *arguments: str) -> GaiaError:
        result = self.run(*arguments)
        assert isinstance(result.exception, GaiaError), result.output
        return result.exception

    def memory(self, memory_id: int) -> Memory:
        async def read() -> Memory:
            database = await open_database(self.home)
            try:
                ada = await database.read(identities.find, "Ada")
                return await database.read(ledger.get, ada.user_id, memory_id)
            finally:
                await database.close()

        return asyncio.run(read())

    def tokens(self) -> int:
        return load_settings(self.home, {}).settings.limits.user_tokens_per_day


@pytest.fixture
async def shell(tmp_path, fresh_home: Home) -> Shell:
    """The home of an owner whose tokens are used up each day, and who repeats a request."""
    home = Home(tmp_path / "home")
    shutil.copytree(fresh_home.root, home.root)
    home.settings_file.write_text("# mine\nlimits:\n  user_tokens_per_day: 1000 # few\n")
    now = SystemClock().now()
    database = await open_database(home)
    with database.writing() as session:
        ada = identities.create(session, "Ada", Role.OWNER, now=now)
        identities.create(session, "Bob", Role.MEMBER, now=now)
        conversation = conversations.create(
            session, user_id=ada.user_id, channel="terminal", chat="chat", direct=True, now=now
        )
        for days in range(1, 5):
            at = now - timedelta(days=days)
            session.add(
                BudgetNoticeRow(
                    user_id=ada.user_id,
                    day=at.astimezone().date().isoformat(),
                    budget="user",
                    stage="used_up",
                )
            )
            turn = Ended(
                turn_id=f"t_{days}",
                user_id=ada.user_id,
                conversation_id=conversation.conversation_id,
                session_id="s",
                asked=REQUEST,
                words=REQUEST,
                answer="Yes.",
                said_at=at,
                context=GLOBAL,
            )
            archive.keep(session, turn)
    await database.close()
    return Shell(home)


def test_what_is_proposed_changes_nothing_by_itself(shell: Shell) -> None:
    result = shell.run("run", "--user", "Ada")
    for told in (f"- {KEY}: 1000", f"+ {KEY}: 1500", f"+ rule: {REQUEST}", "--apply KEY"):
        assert told in result.output
    proposed = shell.read("run", "--user", "Ada")
    assert proposed["proposals"][0]["key"] == KEY
    assert REQUEST not in json.dumps(proposed["figures"])
    assert shell.tokens() == 1000
    assert shell.read("list") == []
    assert "Nothing has been applied yet" in shell.run("list").output


def test_a_setting_is_applied_and_undone(shell: Shell) -> None:
    assert shell.read("run", "--user", "Ada", "--apply", KEY)["applied"] == [1]
    assert shell.home.settings_file.read_text() == (
        "# mine\nlimits:\n  user_tokens_per_day: 1500 # few\n"
    )
    (step,) = shell.read("list")
    assert (step["key"], step["before"], step["after"]) == (KEY, 1000, 1500)
    assert "1000 -> 1500" in shell.run("list").output
    assert shell.run("undo").output == f"Undone: {KEY}.\n"
    assert shell.tokens() == 1000
    assert isinstance(shell.failure("undo"), UpkeepError)
    assert "undone already" in str(shell.failure("undo", "1"))
    assert "undone" in shell.run("list").output


def test_a_setting_that_was_changed_since_is_left_alone(shell: Shell) -> None:
    shell.read("run", "--user", "Ada", "--apply", KEY)
    shell.home.settings_file.write_text("limits: {user_tokens_per_day: 7000}\n")
    assert "7000 by now" in str(shell.failure("undo"))
    assert shell.tokens() == 7000


def test_a_rule_is_applied_and_undone(shell: Shell) -> None:
    (rule,) = (
        each["key"]
        for each in shell.read("run", "--user", "Ada")["proposals"]
        if each["kind"] == "rule"
    )
    shell.read("run", "--user", "Ada", "--apply", rule)
    (step,) = shell.read("list")
    assert step["after"] is None, "its words stand in the memory alone"
    memory = shell.memory(step["memory_id"])
    assert (memory.text, memory.kind, memory.status) == (REQUEST, "rule", MemoryStatus.ACTIVE)
    shell.read("undo", "1")
    assert shell.memory(step["memory_id"]).status is MemoryStatus.ARCHIVED


def test_what_is_not_proposed_cannot_be_applied(shell: Shell) -> None:
    refused = shell.run("run", "--user", "Ada", "--apply", "model.name")
    assert refused.exit_code == 2
    assert KEY in refused.output
    assert "there is no change 7" in str(shell.failure("undo", "7"))


def test_the_settings_are_an_owners(shell: Shell) -> None:
    refused = shell.run("run", "--user", "Bob")
    assert refused.exit_code == 2
    assert "Bob is no owner" in refused.output
