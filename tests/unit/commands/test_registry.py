"""The registry: names and aliases, who may give what, and what is unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from sqlalchemy.orm import Session

from gaia.commands.registry import Call, Command, Registry, Run, Topic
from gaia.core.slash import Caller, Reply, Slash
from gaia.messages import Button, Contact
from gaia.store.conversations import Conversation
from gaia.store.people.users import Role, User
from gaia.testing.clock import START, FakeClock

CHAT = Conversation(
    *(1, "u_1", "fake", "ada", "ada", "ada"),
    direct=True,
    generation=1,
    session_turns=0,
    context="global",
    is_incognito=False,
    contact=Contact(),
)
GROUP = replace(CHAT, direct=False)
NO_SESSION = cast("Session", None)


def echo(call: Call) -> str:
    return f"{call.caller.user.name} said {call.words!r} at {call.now:%H:%M}"


@pytest.fixture
def registry() -> Registry:
    commands = [
        Command.at_once("echo", "Say it again", echo, aliases=("again", "e")),
        Command.at_once("approve", "Give somebody access", echo, role=Role.OWNER),
        Command.at_once("note", "Keep it", echo, role=Role.MEMBER),
        Command.at_once("link", "Join a channel", echo, private=True),
    ]
    return Registry(commands, FakeClock())


async def run(
    registry: Registry,
    name: str,
    words: str = "",
    role: Role = Role.GUEST,
    chat: Conversation = CHAT,
) -> str:
    caller = Caller(User("u_1", "ada", role, START), chat, inbox_id=1, turn_id="t_1", sent_at=START)
    prepared = await registry.prepare(Slash(name, words), caller)
    return prepared(NO_SESSION).text


@pytest.mark.parametrize("name", ["echo", "again", "e"])
async def test_a_command_runs_under_each_of_its_names(registry: Registry, name: str) -> None:
    assert await run(registry, name, "hi") == "ada said 'hi' at 12:00"


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (Role.GUEST, ["echo", "link", "help"]),
        (Role.MEMBER, ["echo", "note", "link", "help"]),
        (Role.OWNER, ["echo", "approve", "note", "link", "help"]),
    ],
)
async def test_people_see_and_give_what_their_role_allows(
    registry: Registry, role: Role, names: list[str]
) -> None:
    assert [command.name for command in registry.visible_to(role, direct=True)] == names
    menu = registry.menu(User("u_1", "ada", role, START), direct=True)
    assert [entry.name for entry in menu] == names
    text = await run(registry, "help", role=role)
    told = [line.split(" ")[0] for line in text.splitlines() if line.startswith("/")]
    assert told == [f"/{n}" for n in names]
    assert "/echo - Say it again (also /again, /e)" in text
    for name in ("echo", "approve", "note", "link"):
        refused = (await run(registry, name, role=role)).startswith(f"I don't know /{name}.")
        assert refused == (name not in names)


@pytest.mark.parametrize("role", Role)
async def test_in_a_group_nobody_gives_what_is_an_owners_or_private(
    registry: Registry, role: Role
) -> None:
    names = [entry.name for entry in registry.menu(User("u_1", "f", role, START), direct=False)]
    assert names == (["echo", "help"] if role is Role.GUEST else ["echo", "note", "help"])
    for name in ("approve", "link"):
        refusal = await run(registry, name, role=role, chat=GROUP)
        assert refusal.startswith(f"I don't know /{name}.")
        assert f"/{name} " not in await run(registry, "help", role=role, chat=GROUP)


async def test_help_has_a_heading_for_each_topic_that_is_of_use() -> None:
    def nothing(call: Call) -> str:
        return ""

    commands = [
        Command.at_once("page", "See it", nothing, private=True, topic=Topic.MEMORY),
        Command.at_once("users", "List them", nothing, role=Role.OWNER, topic=Topic.OWNERS),
        Command.at_once("remember", "Keep it", nothing, topic=Topic.MEMORY),
        Command.at_once("reset", "Begin again", nothing),
    ]
    registry = Registry(commands, FakeClock())
    assert await run(registry, "help", role=Role.OWNER) == (
        "Just write to me. These are my commands.\n\n"
        "Our conversation:\n/reset - Begin again\n\n"
        "What I remember:\n/page - See it\n/remember - Keep it\n\n"
        "You and me:\n/help - List my commands\n\n"
        "For owners:\n/users - List them"
    )
    in_group = await run(registry, "help", role=Role.OWNER, chat=GROUP)
    assert in_group.startswith("Mention me, or reply to a message of mine.")
    assert "/page" not in in_group
    assert "For owners" not in in_group


async def test_a_reply_may_have_buttons() -> None:
    reply = Reply("Sure?", (Button("Yes", "/sure yes"),), wakes=(7,))

    def ask(call: Call) -> Reply:
        return reply

    registry = Registry([Command.at_once("sure", "Ask", ask)], FakeClock())
    caller = Caller(
        User("u_1", "ada", Role.GUEST, START), CHAT, inbox_id=1, turn_id="t_1", sent_at=START
    )
    prepared = await registry.prepare(Slash("sure", ""), caller)
    assert prepared(NO_SESSION) == reply


async def test_a_command_may_find_out_what_it_needs_before_its_transaction() -> None:
    async def prepare(caller: Caller, words: str) -> Run:
        found = f"{words} for {caller.user.name}"

        def run(call: Call) -> str:
            return f"{found}, then {call.words}"

        return run

    registry = Registry([Command("find", "Search", prepare, ("f",))], FakeClock())
    assert await run(registry, "f", "pots") == "pots for ada, then pots"


async def test_what_a_role_forbids_is_told_like_what_is_unknown(registry: Registry) -> None:
    assert await run(registry, "approve") == ("I don't know /approve. /help lists my commands.")


async def test_a_near_name_is_offered_unless_the_role_forbids_it(registry: Registry) -> None:
    assert "Did you mean /echo?" in await run(registry, "ehco")
    assert "Did you mean" not in await run(registry, "aprove")
    assert "Did you mean /approve?" in await run(registry, "aprove", role=Role.OWNER)
