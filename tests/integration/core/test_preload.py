"""What stands before a conversation: rules, profile, last talk; and what is due."""

from __future__ import annotations

from datetime import timedelta

import pytest
from google.adk.models.llm_request import LlmRequest

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.settings.schema import EmbeddedSettings, MemorySettings, ModelSettings, Settings
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people import identities
from gaia.store.people.users import Role
from gaia.testing.clock import until
from tests.harness.proposals import Digests, proposal, window

SPANISH = "Always answer in Spanish"


def instructions(request: LlmRequest) -> str:
    return str(request.config.system_instruction)


async def keep(core, text: str, *, user_name: str = "ada", **fields: object) -> None:
    user = await core.users.find(user_name)
    said = Statement(text, MemorySource.TOOL, **fields)
    await core.database.write(ledger.add, user.user_id, said, core.clock.now())


async def asked(core, text: str, **changes: object) -> LlmRequest:
    await core.say(text, **changes)
    return core.model.requests[-1]


async def test_a_rule_that_was_learned_stands_before_each_conversation_of_its_user(running_core):
    async with running_core(other_channels=("second",), senders=("ada", "bob")) as core:
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("second", "ada"))
        assert SPANISH not in instructions(await asked(core, "one"))
        digests = Digests(core.database, ada.user_id)
        rule = proposal(SPANISH, kind=MemoryKind.RULE)
        await digests.commit(await digests.sealed(), window(rule, summary="We spoke of Spain."))
        told = instructions(await asked(core, "two"))
        assert f"\n- {SPANISH}\n" in told
        assert "The last conversation, 1 January 2026: We spoke of Spain." in told
        assert SPANISH in instructions(await asked(core, "three", channel=core.others["second"]))
        assert SPANISH not in instructions(await asked(core, "four", sender="bob"))


@pytest.mark.parametrize("is_small", [False, True])
async def test_a_memory_that_is_made_a_rule_is_one_from_then_on(running_core, is_small):
    async with running_core(is_small=is_small) as core:
        await asked(core, "one")
        await core.channel.say(f"/remember {SPANISH}")
        (button,) = (await core.channel.until_sent(2))[1].buttons
        await core.channel.say(button.command)
        assert f"always follow #2: “{SPANISH}”" in (await core.channel.until_sent(3))[2].text
        told = instructions(await asked(core, "two"))
        heading, _, rules = told.partition(":\n- ")
        assert "to be followed always" in heading
        assert rules.startswith(SPANISH)


@pytest.mark.parametrize("is_small", [False, True])
async def test_what_stands_there_is_the_same_in_each_turn_and_stands_there_alone(
    running_core, is_small
):
    async with running_core(is_small=is_small) as core:
        await keep(core, "I drink tea")
        first = await asked(core, "Tea or coffee for me")
        # The first turn has the profile made, of what is known by then.
        await until(lambda: not core.app.profiles._workers._tasks)
        await keep(core, "Rex is my dog")
        second = await asked(core, "And who is Rex, my dog")
        assert instructions(first) == instructions(second)
        assert "\n- I drink tea" in instructions(second)
        assert "I drink tea" not in str(first.contents)
        assert "Rex is my dog" in str(second.contents)


async def test_what_is_forgotten_or_replaced_is_gone_with_the_next_message(running_core):
    async with running_core() as core:
        await keep(core, "I drink tea")
        await keep(core, SPANISH, kind=MemoryKind.RULE)
        assert "I drink tea" in instructions(await asked(core, "one"))
        for number in (1, 2):
            await core.say(f"/forget {number}")
            await core.say("/forget yes")
        told = instructions(await asked(core, "two"))
        assert "I drink tea" not in told
        assert SPANISH not in told


async def test_a_group_has_its_own(running_core):
    async with running_core() as core:
        with core.database.writing() as session:
            now = core.clock.now()
            group = identities.create(session, "family", Role.MEMBER, now=now, is_group=True)
            identities.link(session, group, Address("fake", "-1"), now)
        await keep(core, "I drink tea")
        await keep(core, "We eat at seven", user_name="family")
        in_group = {"sender": "-1", "direct": False, "sender_name": "ada"}
        told = instructions(await asked(core, "one", **in_group))
        assert ("We eat at seven" in told, "I drink tea" in told) == (True, False)
        told = instructions(await asked(core, "two"))
        assert ("We eat at seven" in told, "I drink tea" in told) == (False, True)


@pytest.mark.parametrize(
    ("memory", "has_rules"),
    [(MemorySettings(preload=False), True), (MemorySettings(enabled=False), False)],
)
async def test_by_the_settings_there_are_rules_alone_or_nothing(running_core, memory, has_rules):
    async with running_core(settings=Settings(memory=memory)) as core:
        await keep(core, "I drink tea")
        await keep(core, SPANISH, kind=MemoryKind.RULE)
        told = instructions(await asked(core, "one"))
        assert "I drink tea" not in told
        assert (SPANISH in told) is has_rules


async def test_a_reminder_that_is_due_stands_beside_the_message(running_core):
    async with running_core() as core:
        due = core.clock.now() + timedelta(hours=3)
        await keep(core, "Call Grace", kind=MemoryKind.REMINDER, due_at=due)
        assert 'Due: "Call Grace"' in str((await asked(core, "hello")).contents)
        core.clock.advance(4 * 3600)
        assert 'Overdue: "Call Grace"' in str((await asked(core, "hello")).contents)
        core.clock.advance(8 * 24 * 3600)
        assert "Call Grace" not in str((await asked(core, "hello")).contents)


@pytest.mark.parametrize("has_tools", [False, True])
async def test_a_small_model_has_tools_only_if_the_owner_wants_them(running_core, has_tools):
    settings = Settings(model=ModelSettings(embedded=EmbeddedSettings(tools=has_tools)))
    async with running_core(is_small=True, settings=settings) as core:
        assert bool((await asked(core, "hello")).config.tools) is has_tools


async def test_a_small_model_reads_the_message_and_nothing_else_where_nothing_fits(running_core):
    async with running_core(is_small=True) as core:
        request = await asked(core, "What is the capital of Australia?")
        [content] = request.contents
        assert [part.text for part in content.parts] == ["What is the capital of Australia?"]
        assert len(instructions(request)) < 500
