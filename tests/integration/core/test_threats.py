"""Rows of docs/security.md that belong to no other subject."""

from __future__ import annotations

import pytest

from gaia.paths import Home
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store.people.users import Role
from gaia.testing.function_model import ToolCall
from gaia.web.server import listen_on_path
from tests.integration.core.test_link import Person

WRONG = "ABCD-EFG2"


async def test_wrong_codes_count_over_restarts(running_core):
    async with running_core() as core:
        code = await Person(core.channel, "ada").link_code()
        for _ in range(4):
            assert (await core.channel.say(WRONG, sender="eve")).kind == "denied"
    async with running_core() as core:
        assert (await core.channel.say(WRONG, sender="eve")).kind == "denied"
        assert (await core.channel.say(code, sender="eve")).kind == "denied", "the sixth"
        assert (await core.channel.say(code, sender="phone")).kind == "accepted"


@pytest.mark.parametrize("role", [Role.MEMBER, Role.GUEST])
async def test_a_member_gives_no_owners_command(running_core, role):
    async with running_core(senders=("ada", "bob")) as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        await core.users.set_role(await core.users.find("bob"), role)
        bob = Person(core.channel, "bob")
        for command in ("/role bob owner", "/approve 1", "/deny 1", "/users"):
            assert (await bob.ask(command)).text.startswith("I don't know /"), command
        assert (await core.users.find("bob")).role is role


async def test_tools_without_end_come_to_an_end(running_core):
    limits = LimitsSettings(tool_calls_per_turn=3, model_calls_per_turn=6)
    calls = []

    def never_ends(_: object) -> ToolCall:
        calls.append(1)
        return ToolCall("calculate", {"expression": "1+1"})

    async with running_core(never_ends, settings=Settings(limits=limits)) as core:
        assert "My model gave no answer" in await core.say("go on")
        assert len(calls) <= limits.model_calls_per_turn


def test_the_control_socket_is_its_owners_alone(tmp_path):
    home = Home(tmp_path / "home")
    home.create()
    with listen_on_path(home.control_socket):
        assert home.control_socket.stat().st_mode & 0o777 == 0o600
        assert home.root.stat().st_mode & 0o077 == 0
