"""A slash command that has nothing to tell says what can be done."""

from __future__ import annotations

import re

import pytest

from gaia.store.people.users import Role

NEXT = re.compile(r"/\w+|[Tt]here is nothing to|[Ww]rite |Nothing is running|Nothing was changed")
COMMANDS = (
    *("/start", "/stop", "/context", "/context off"),
    *("/remember", "/memory", "/memory search", "/memory search boat", "/memory why 1"),
    *("/memory about Zoe", "/memory rules", "/memory pending", "/memory keep 1", "/memory drop 1"),
    *("/memory pin 1", "/memory hide 1", "/memory help", "/forget boat", "/undo", "/cancel"),
    *("/people", "/people Zoe", "/people merge", "/remind", "/reminders", "/reminders done 1"),
    *("/timezone", "/timezone Atlantis", "/tell", "/share", "/shared", "/share keep 1", "/export"),
    *("/link ABCD-EFGH", "/unlink", "/approve", "/role", "/help", "/nonsense"),
)


@pytest.mark.parametrize("command", COMMANDS)
async def test_it_says_what_to_do(running_core, command):
    async with running_core() as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        core.channel.taken.add("text/plain")
        answer = await core.say(command)
        assert NEXT.search(answer), answer
        assert not answer.startswith(f"{command} did not work")
