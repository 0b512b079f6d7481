"""The registry: names and aliases, who may give what, and what is unknown."""

from __future__ import annotations

from typing import cast

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.commands.registry import Call, Command, Registry
from gaia.core.slash import Caller, Slash
from gaia.store.conversations import Conversation
from gaia.store.users import Role, User
from gaia.testing.clock import START, FakeClock

CHAT = Conversation(1, "u_1", "fake", "ada", "ada", direct=True, generation=1, session_turns=0)
NO_SESSION = cast("AsyncSession", None)


async def echo(call: Call) -> str:
    return f"{call.caller.user.name} said {call.words!r} at {call.now:%H:%M}"


@pytest.fixture
def registry() -> Registry:
    commands = [
        Command("echo", "Say it again", echo, aliases=("again", "e")),
        Command("approve", "Let somebody in", echo, role=Role.OWNER),
        Command("note", "Keep it", echo, role=Role.MEMBER),
    ]
    return Registry(commands, FakeClock())


async def run(registry: Registry, name: str, words: str = "", role: Role = Role.GUEST) -> str:
    caller = Caller(User("u_1", "ada", role, START), CHAT, inbox_id=1)
    return await registry.run(Slash(name, words), caller, NO_SESSION)


@pytest.mark.parametrize("name", ["echo", "again", "e"])
async def test_a_command_runs_under_each_of_its_names(registry: Registry, name: str) -> None:
    assert await run(registry, name, "hi") == "ada said 'hi' at 12:00"


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (Role.GUEST, ["echo", "help"]),
        (Role.MEMBER, ["echo", "note", "help"]),
        (Role.OWNER, ["echo", "approve", "note", "help"]),
    ],
)
async def test_people_see_and_give_what_their_role_allows(
    registry: Registry, role: Role, names: list[str]
) -> None:
    assert [command.name for command in registry.visible_to(role)] == names
    text = await run(registry, "help", role=role)
    assert [line.split(" ")[0] for line in text.splitlines()[1:]] == [f"/{n}" for n in names]
    assert "/echo - Say it again (also /again, /e)" in text
    for name in ("echo", "approve", "note"):
        refused = (await run(registry, name, role=role)).startswith(f"I don't know /{name}.")
        assert refused == (name not in names)


async def test_what_a_role_forbids_is_told_like_what_is_unknown(registry: Registry) -> None:
    assert await run(registry, "approve") == (
        "I don't know /approve. /help lists what I understand."
    )


async def test_a_near_name_is_offered_unless_the_role_forbids_it(registry: Registry) -> None:
    assert "Did you mean /echo?" in await run(registry, "ehco")
    assert "Did you mean" not in await run(registry, "aprove")
    assert "Did you mean /approve?" in await run(registry, "aprove", role=Role.OWNER)
