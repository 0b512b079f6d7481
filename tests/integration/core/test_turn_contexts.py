"""A turn goes by the context in which its message came, and is incognito if that was, whatever is
commanded while it waits or is answered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gaia.memory import ledger
from gaia.store import conversations, inbox
from gaia.testing.function_model import ToolCall
from tests.harness.tool_script import ToolScript

FIRST, SECOND = "The salary is 90,000", "The bonus is 5,000"
CALLS = [
    ToolCall("remember", {"fact": "The user is paid well"}),
    ToolCall("remind", {"what": "ask for more", "when": "tomorrow at 9"}),
]
LETTER = ToolCall("send_message", {"to": "bob", "text": "I am paid well"})


async def contexts(core) -> Sequence[str]:
    user_id = (await core.key()).user_id
    return [each.context for each in await core.database.read(ledger.every, user_id, limit=9)]


async def interrupted(core, command: str, *said: str) -> list[str]:
    """What is answered to messages where a command comes while the model thinks of the first."""
    core.model.hold(said[0])
    sent = len(core.channel.sent)
    await core.channel.say(said[0])
    await core.model.until_asked(said[0])
    for each in said[1:]:
        await core.channel.say(each)
    await core.channel.say(command)
    await core.channel.until_sent(sent + 1)
    core.model.let_go(said[0])
    answers = await core.channel.until_sent(sent + 1 + len(said))
    return [each.text for each in answers[sent + 1 :]]


@pytest.mark.parametrize(
    ("before", "command", "kept_in"),
    [
        ("/context work", "/context off", "work"),
        ("/context work", "/context club", "work"),
        ("/context off", "/context work", "global"),
        ("/incognito off", "/incognito", "global"),
    ],
)
@pytest.mark.parametrize("said", [(FIRST,), (FIRST, SECOND)], ids=["running", "waiting"])
async def test_tools_keep_things_where_they_were_said(
    running_core, before: str, command: str, kept_in: str, said: Sequence[str]
) -> None:
    script = ToolScript()
    async with running_core(script, provider="openai") as core:
        await core.say(before)
        script.plan(said[-1], *CALLS)
        await interrupted(core, command, *said)
        assert await contexts(core) == [kept_in, kept_in]


@pytest.mark.parametrize("said", [(FIRST,), (FIRST, SECOND)], ids=["running", "waiting"])
@pytest.mark.parametrize("call", [*CALLS, LETTER], ids=lambda call: call.name)
@pytest.mark.parametrize("command", ["/incognito off", "/reset"])
async def test_tools_keep_nothing_of_what_was_said_incognito(
    running_core, call: ToolCall, command: str, said: Sequence[str]
) -> None:
    script = ToolScript()
    async with running_core(script, provider="openai", senders=("ada", "bob")) as core:
        await core.say("hello", sender="bob")
        await core.say("/incognito")
        script.plan(said[-1], call)
        *_, answer = await interrupted(core, command, *said)
        assert "error" in answer
        assert await contexts(core) == []
        assert await core.sessions((await core.key()).user_id) == []


async def test_the_prompt_of_what_waits_is_that_of_its_context(running_core) -> None:
    async with running_core(provider="openai") as core:
        await core.say("/context work")
        await core.say("/remember The salary is reviewed in May")
        await interrupted(core, "/context off", "hello", FIRST)
        await core.say("What of the salary?")
        waited, later = (str(request) for request in core.model.requests[-2:])
        assert "reviewed in May" in waited
        assert "reviewed in May" not in later
        assert FIRST not in later


async def test_what_waited_is_found_in_its_context_alone(running_core) -> None:
    script = ToolScript()
    async with running_core(script, provider="openai") as core:
        await core.say("/context work")
        script.plan(SECOND, ToolCall("search_conversations", {"words": "salary"}))
        *_, answer = await interrupted(core, "/context off", FIRST, SECOND)
        assert FIRST in answer
        script.plan("look", ToolCall("search_conversations", {"words": "salary bonus"}))
        assert "nothing was said" in await core.say("look")


async def test_what_waits_in_another_context_is_no_part_of_the_next_session(running_core) -> None:
    """Nor when one begins that takes along what waits."""
    async with running_core(provider="openai") as core:
        await core.say("/context work")
        core.model.hold("hello")
        await core.channel.say("hello")
        await core.model.until_asked("hello")
        await core.channel.say(FIRST)
        await core.say("/context off")
        (chat,) = await core.database.read(conversations.of_user, (await core.key()).user_id)
        await core.database.write(inbox.begin_next_session, chat.conversation_id, after=0)
        sent = len(core.channel.sent)
        core.model.let_go("hello")
        await core.channel.until_sent(sent + 2)
        assert f"user: {FIRST}" in await core.transcript(generation=2)
        assert await core.transcript(generation=4) == []
