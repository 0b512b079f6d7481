"""Memory in turns: recalled unasked, kept and changed by tools, never in the way."""

from __future__ import annotations

import sqlite3
from contextlib import asynccontextmanager

import pytest
from google.adk.models.llm_request import LlmRequest
from sqlalchemy import func, select

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.settings.schema import MemorySettings, Settings
from gaia.store import identities
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus
from gaia.store.users import Role
from gaia.testing.function_model import Answer, ToolCall, last_user_text
from gaia.testing.until import until

POT = "the gate code is under the blue pot"
RECALLED = f'- "{POT}" (#1, 1 January 2026)'


def everything(request: LlmRequest) -> str:
    """All texts of the request but the instructions."""
    return "\n".join(
        part.text for content in request.contents for part in content.parts or [] if part.text
    )


class Scripted:
    """Answers a text with the calls that a test wants, one after the other."""

    def __init__(self) -> None:
        self.calls: dict[str, list[ToolCall]] = {}

    def __call__(self, request: LlmRequest) -> Answer:
        waiting = self.calls.get(last_user_text(request), [])
        if waiting:
            return waiting.pop(0)
        results = [
            str(part.function_response.response)
            for content in request.contents[-1:]
            for part in content.parts or []
            if part.function_response
        ]
        return "".join(results) or f"echo: {last_user_text(request)}"


async def say(core, text: str, channel=None, **changes: object) -> str:
    channel = channel or core.channel
    count = len(channel.sent)
    await channel.say(text, **changes)
    return (await channel.until_sent(count + 1))[count].text


@asynccontextmanager
async def core_with(running_core, **options: object):
    """A core, what its model does, and a way to have it call one tool."""
    script = Scripted()
    async with running_core(script, **options) as core:

        async def use(said: str, name: str, *, then: list[ToolCall] = (), **args: object) -> str:
            script.calls[said] = [ToolCall(name, args), *then]
            return await say(core, said)

        yield core, use


async def memories(core, name: str = "ada"):
    user = await core.users.find(name)
    async with core.stores.database.read() as session:
        return await ledger.every(session, user.user_id, limit=100, active=False)


async def test_what_is_kept_on_one_channel_is_known_on_another_unasked(running_core):
    async with running_core(other_channels=("second",)) as core:
        await say(core, f"/remember {POT}")
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("second", "ada"))
        answer = await say(core, "Where is the gate code?", core.others["second"])
        assert answer == "echo: Where is the gate code?"
        (request,) = core.model.requests
        text = everything(request)
        assert text.index("Where is the gate code?") < text.index("<context>")
        assert text.rstrip().endswith(f"{RECALLED}\n</context>")


async def test_nothing_recalled_is_stored_in_the_session(running_core, home):
    async with running_core() as core:
        await say(core, f"/remember {POT}")
        await say(core, "Where is the gate code?")
        assert POT in everything(core.model.requests[-1])
        await say(core, "And the weather?")
        assert POT not in everything(core.model.requests[-1])
    for file in home.root.glob("sessions.db*"):
        assert b"blue pot" not in file.read_bytes()


async def test_a_greeting_recalls_nothing_and_a_question_does(running_core):
    async with running_core() as core:
        await say(core, "/remember hello is what Bob says")
        await say(core, "hello!")
        assert "Bob" not in everything(core.model.requests[-1])
        await say(core, "hello?")
        assert "Bob" in everything(core.model.requests[-1])


async def test_what_the_conversation_holds_already_is_not_recalled(running_core):
    async with running_core() as core:
        await say(core, f"/remember {POT}")
        await say(core, f"By the way, {POT}.")
        await say(core, "Where is the gate code?")
        assert RECALLED not in everything(core.model.requests[-1])
        await say(core, "/reset")
        await say(core, "Where is the gate code?")
        assert RECALLED in everything(core.model.requests[-1])


@pytest.mark.parametrize("asked", ["Do I like cheese?", "tell me do I like cheese"])
async def test_the_words_of_the_message_itself_do_not_keep_it_from_being_recalled(
    running_core, asked
):
    async with running_core() as core:
        await say(core, "/remember I like cheese")
        await say(core, asked)
        assert '- "I like cheese" (#1' in everything(core.model.requests[-1])


async def test_sensitive_expired_and_superseded_ones_are_not_recalled(running_core):
    async with running_core() as core:
        await say(core, f"/remember {POT}")
        await say(core, "/memory hide 1")
        user = await core.users.find("ada")
        async with core.stores.database.write() as session:
            now = core.clock.now()
            over = Statement("the gate code was 1", MemorySource.USER, expires_at=now)
            old = Statement("the gate code is 2", MemorySource.USER)
            newer = Statement("the gate has no code", MemorySource.USER)
            await ledger.add(session, user.user_id, over, now)
            replaced = await ledger.add(session, user.user_id, old, now)
            number = replaced.memory.memory_id
            await ledger.supersede(session, user.user_id, number, newer, now)
        await say(core, "gate code?")
        text = everything(core.model.requests[-1])
        assert "the gate has no code" in text
        assert POT not in text
        assert "code was 1" not in text
        assert "code is 2" not in text


async def test_nothing_of_a_direct_chat_reaches_a_group_nor_the_other_way(running_core):
    async with running_core() as core:
        async with core.stores.database.write() as session:
            now = core.clock.now()
            group = await identities.create(session, "family", Role.MEMBER, now=now, is_group=True)
            await identities.link(session, group, Address("fake", "-1"), now)
        in_group = {"sender": "-1", "direct": False, "sender_name": "ada"}
        await say(core, f"/remember {POT}")
        await say(core, "/remember the gate code of the group is green", **in_group)
        await say(core, "Where is the gate code?", **in_group)
        assert "green" in everything(core.model.requests[-1])
        assert POT not in everything(core.model.requests[-1])
        await say(core, "Where is the gate code?")
        assert "green" not in everything(core.model.requests[-1])
        assert POT in everything(core.model.requests[-1])


async def test_the_remember_tool_keeps_the_fact_and_the_users_own_words(running_core):
    async with core_with(running_core) as (core, use):
        said = "By the way I can't eat nuts"
        answer = await use(
            said, "remember", fact="Ada is allergic to nuts", about="Person: Ada Lovelace"
        )
        assert "kept as #1" in answer
        (memory,) = await memories(core)
        assert (memory.text, memory.quote) == ("Ada is allergic to nuts", said)
        assert memory.source is MemorySource.TOOL
        assert memory.turn_id == core.channel.sent[-1].turn_id
        assert "Ada is allergic" in await say(core, "/memory about ada lovelace")
        assert "I kept it when we talked" in await say(core, "/memory why 1")


async def test_a_credential_is_refused_by_the_tool_and_never_quoted(running_core):
    async with core_with(running_core) as (core, use):
        refused = await use("keep this", "remember", fact="the password is hunter2")
        assert "a password or a PIN" in refused
        assert await memories(core) == []
        await use("my password is hunter2 and I like tea", "remember", fact="Ada likes tea")
        (memory,) = await memories(core)
        assert memory.quote is None


async def test_the_update_tool_replaces_and_the_old_one_does_not_come_back(running_core):
    async with core_with(running_core) as (core, use):
        await say(core, "/remember I love olives")
        assert "kept as #2" in await use(
            "I hate olives now", "update_memory", memory_id="#1", fact="I hate olives now"
        )
        old, new = await memories(core)
        assert (old.status, new.status) == (MemoryStatus.SUPERSEDED, MemoryStatus.ACTIVE)
        assert "love" not in await use("olives?", "load_memory", query="olives")


async def test_load_memory_finds_with_numbers_also_what_is_hidden(running_core):
    async with core_with(running_core) as (core, use):
        await say(core, f"/remember {POT}")
        await say(core, "/memory hide 1")
        assert f"#1 (1 January 2026) {POT}" in await use("look", "load_memory", query="gate code")
        assert "nothing is known" in await use("again", "load_memory", query="unicorn")


async def test_the_forget_tool_forgets_one_and_it_is_not_learned_again(running_core):
    async with core_with(running_core) as (core, use):
        await say(core, f"/remember {POT}")
        again = [ToolCall("remember", {"fact": POT})]
        await use("forget the pot", "forget_memory", memory_id=1, then=again)
        assert await memories(core) == []
        core.clock.advance(1)
        assert "kept as #2" in await use(f"Well: {POT}", "remember", fact=POT)


async def test_a_number_that_nobody_spoke_of_is_a_guess_and_changes_nothing(running_core):
    async with core_with(running_core) as (core, use):
        await say(core, f"/remember {POT}")
        for name, more in (("forget_memory", {}), ("update_memory", {"fact": "x"})):
            assert "no such number" in await use(f"{name} it", name, memory_id=1, **more)
        assert len(await memories(core)) == 1
        await use("what was it", "load_memory", query="gate code")
        assert "forgotten for good" in await use("drop it", "forget_memory", memory_id=1)


@pytest.mark.parametrize("number", [1, "#7", "x", "9" * 30, -3])
async def test_a_tool_changes_nothing_that_is_another_persons(running_core, number):
    async with core_with(running_core, senders=("ada", "bob")) as (core, use):
        await say(core, f"/remember {POT}", sender="bob")
        for name, more in (("forget_memory", {}), ("update_memory", {"fact": "x"})):
            assert "no such number" in await use(name, name, memory_id=number, **more)
        assert POT not in await use("look", "load_memory", query="gate code")
        (memory,) = await memories(core, "bob")
        assert (memory.text, memory.status) == (POT, MemoryStatus.ACTIVE)


async def test_a_tool_writes_nothing_for_somebody_who_was_removed_meanwhile(running_core):
    script = Scripted()
    script.calls["keep it"] = [ToolCall("remember", {"fact": POT})]
    async with running_core(script) as core:
        core.model.hold("keep it")
        await core.channel.say("keep it")
        await core.model.until_asked("keep it")
        async with core.stores.database.write() as session:
            await identities.bury(session, await identities.find(session, "ada"), core.clock.now())
        core.model.let_go("keep it")
        await until(lambda: len(core.model.requests) == 2)
        response = core.model.requests[-1].contents[-1].parts[0].function_response
        assert response.response == {"error": "the user was removed meanwhile"}
        async with core.stores.database.read() as session:
            assert await session.scalar(select(func.count()).select_from(MemoryRow)) == 0


async def test_no_tool_forgets_everything(running_core):
    async with running_core() as core:
        await say(core, "hello")
        (request,) = core.model.requests
        names = {each.name for tool in request.config.tools for each in tool.function_declarations}
        assert names == {
            "calculate",
            "current_time",
            "remember",
            "load_memory",
            "update_memory",
            "forget_memory",
        }


async def test_when_memory_is_broken_chat_goes_on_and_the_status_says_so(running_core, home):
    async with core_with(running_core) as (core, use):
        await say(core, f"/remember {POT}")
        with sqlite3.connect(home.database) as database:
            database.execute("ALTER TABLE memory_terms RENAME TO elsewhere")
        assert await say(core, "Where is the gate code?") == "echo: Where is the gate code?"
        assert POT not in everything(core.model.requests[-1])
        assert "Not working: recall" in await say(core, "/status")
        assert "does not work" in await use("look", "load_memory", query="gate code")
        assert (await say(core, "/memory search gate")).startswith("/memory did not work.")
        with sqlite3.connect(home.database) as database:
            database.execute("ALTER TABLE elsewhere RENAME TO memory_terms")
        await say(core, "Where is the gate code?")
        assert POT in everything(core.model.requests[-1])
        assert "Not working: recall" not in await say(core, "/status")


async def test_without_memory_there_are_no_tools_and_nothing_is_recalled(running_core):
    settings = Settings(memory=MemorySettings(enabled=False))
    async with running_core(settings=settings) as core:
        await say(core, "Where is the gate code?")
        (request,) = core.model.requests
        assert "remember" not in str(request.config)


async def test_without_recall_there_are_tools_alone(running_core):
    settings = Settings(memory=MemorySettings(auto_recall=False))
    async with running_core(settings=settings) as core:
        await say(core, f"/remember {POT}")
        await say(core, "Where is the gate code?")
        (request,) = core.model.requests
        assert POT not in everything(request)
        assert "load_memory" in str(request.config)
