"""Memory in turns: recalled unasked, kept and changed by tools, never in the way."""

from __future__ import annotations

from functools import partial

import pytest
from google.adk.models.llm_request import LlmRequest
from sqlalchemy import text

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.settings.schema import MemorySettings, Settings
from gaia.store import sessions
from gaia.store.memory_tables import MemorySource
from gaia.store.people import identities
from gaia.store.people.users import Role
from gaia.testing.function_model import ToolCall
from tests.harness.databases import connected
from tests.harness.tool_script import ToolScript

RECALL_ALONE = Settings(memory=MemorySettings(preload=False))
"""What stands before a conversation is not told beside a message as well."""


@pytest.fixture
def running_core(running_core):
    return partial(running_core, settings=RECALL_ALONE)


POT = "the gate code is under the blue pot"
RECALLED = f'- "{POT}" (#1, 1 January 2026)'


def everything(request: LlmRequest) -> str:
    """All texts of the request but the instructions."""
    return "\n".join(
        part.text for content in request.contents for part in content.parts or [] if part.text
    )


async def test_what_is_kept_on_one_channel_is_known_on_another_unasked(running_core):
    async with running_core(other_channels=("second",)) as core:
        await core.say(f"/remember {POT}")
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("second", "ada"))
        answer = await core.say("Where is the gate code?", core.others["second"])
        assert answer == "echo: Where is the gate code?"
        (request,) = core.model.requests
        text = everything(request)
        assert text.index("Where is the gate code?") < text.index("<context>")
        assert text.rstrip().endswith(f"{RECALLED}\n</context>")


async def test_nothing_recalled_is_stored_in_the_session(running_core):
    async with running_core() as core:
        await core.say(f"/remember {POT}")
        await core.say("Where is the gate code?")
        assert POT in everything(core.model.requests[-1])
        await core.say("And the weather?")
        assert POT not in everything(core.model.requests[-1])
        key = await core.key()
        told = await core.database.read(sessions.events, key.user_id, key.session_id)
        assert len(told) == 4
        assert "blue pot" not in "".join(told)


async def test_a_greeting_recalls_nothing_and_a_question_does(running_core):
    async with running_core() as core:
        await core.say("/remember hello is what Bob says")
        await core.say("hello!")
        assert "Bob" not in everything(core.model.requests[-1])
        await core.say("hello?")
        assert "Bob" in everything(core.model.requests[-1])


async def test_what_the_conversation_holds_already_is_not_recalled(running_core):
    async with running_core() as core:
        await core.say(f"/remember {POT}")
        await core.say(f"By the way, {POT}.")
        await core.say("Where is the gate code?")
        assert RECALLED not in everything(core.model.requests[-1])
        await core.say("/reset")
        await core.say("Where is the gate code?")
        assert RECALLED in everything(core.model.requests[-1])


@pytest.mark.parametrize("asked", ["Do I like cheese?", "tell me do I like cheese"])
async def test_the_words_of_the_message_itself_do_not_keep_it_from_being_recalled(
    running_core, asked
):
    async with running_core() as core:
        await core.say("/remember I like cheese")
        await core.say(asked)
        assert '- "I like cheese" (#1' in everything(core.model.requests[-1])


async def test_sensitive_expired_and_superseded_ones_are_not_recalled(running_core):
    async with running_core() as core:
        await core.say(f"/remember {POT}")
        await core.say("/memory hide 1")
        user = await core.users.find("ada")
        with core.database.writing() as session:
            now = core.clock.now()
            over = Statement("the gate code was 1", MemorySource.USER, expires_at=now)
            old = Statement("the gate code is 2", MemorySource.USER)
            newer = Statement("the gate has no code", MemorySource.USER)
            ledger.add(session, user.user_id, over, now)
            replaced = ledger.add(session, user.user_id, old, now)
            number = replaced.memory.memory_id
            ledger.supersede(session, user.user_id, number, newer, now)
        await core.say("gate code?")
        text = everything(core.model.requests[-1])
        assert "the gate has no code" in text
        assert POT not in text
        assert "code was 1" not in text
        assert "code is 2" not in text


async def test_nothing_of_a_direct_chat_reaches_a_group_nor_the_other_way(running_core):
    async with running_core() as core:
        with core.database.writing() as session:
            now = core.clock.now()
            group = identities.create(session, "family", Role.MEMBER, now=now, is_group=True)
            identities.link(session, group, Address("fake", "-1"), now)
        in_group = {"sender": "-1", "direct": False, "sender_name": "ada"}
        await core.say(f"/remember {POT}")
        await core.say("/remember the gate code of the group is green", **in_group)
        await core.say("Where is the gate code?", **in_group)
        assert "green" in everything(core.model.requests[-1])
        assert POT not in everything(core.model.requests[-1])
        await core.say("Where is the gate code?")
        assert "green" not in everything(core.model.requests[-1])
        assert POT in everything(core.model.requests[-1])


async def test_when_memory_is_broken_chat_goes_on_and_the_status_says_so(running_core, home):
    script = ToolScript()
    script.plan("look", ToolCall("load_memory", {"query": "gate code"}))
    async with running_core(script) as core:
        await core.say(f"/remember {POT}")
        with connected(home) as connection:
            connection.execute(text("ALTER TABLE memory_terms RENAME TO elsewhere"))
        assert await core.say("Where is the gate code?") == "echo: Where is the gate code?"
        assert POT not in everything(core.model.requests[-1])
        assert "Not working: recall" in await core.say("/status")
        assert "does not work" in await core.say("look")
        assert (await core.say("/memory search gate")).startswith("/memory did not work.")
        with connected(home) as connection:
            connection.execute(text("ALTER TABLE elsewhere RENAME TO memory_terms"))
        await core.say("Where is the gate code?")
        assert POT in everything(core.model.requests[-1])
        assert "Not working: recall" not in await core.say("/status")


async def test_without_memory_there_are_no_tools_and_nothing_is_recalled(running_core):
    settings = Settings(memory=MemorySettings(enabled=False))
    async with running_core(settings=settings) as core:
        await core.say("Where is the gate code?")
        (request,) = core.model.requests
        assert "remember" not in str(request.config)


async def test_without_recall_there_are_tools_alone(running_core):
    settings = Settings(memory=MemorySettings(auto_recall=False))
    async with running_core(settings=settings) as core:
        await core.say(f"/remember {POT}")
        await core.say("Where is the gate code?")
        (request,) = core.model.requests
        assert POT not in everything(request)
        assert "load_memory" in str(request.config)
