"""Requests in plain words, of a model that has no tools: commands carry them out."""

from __future__ import annotations

import pytest

from gaia.memory import ledger
from gaia.memory.extraction import Reader
from gaia.settings.schema import EmbeddedSettings, ModelSettings, Settings
from gaia.store import forgets
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes


async def test_what_is_to_be_forgotten_is_asked_for_and_goes(running_core):
    async with running_core(is_small=True) as core:
        assert await core.say("Remember that my locker is 47") == (
            "Kept in your memory as #1: “my locker is 47”\n/forget 1 deletes it."
        )
        asked = await core.say("Please forget that my locker is 47")
        assert "my locker is 47" in asked
        assert "Answer yes" in asked
        assert (await core.say("yes")).startswith("Forgotten: 1 memory")
        assert core.model.requests == []


async def test_what_was_just_said_is_told_with_what_is_known(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(is_small=True, reader=reader) as core:
        for text in ("I live in Lisbon.", "Can I swim there?", "Our daughter Ines is 7."):
            await core.say(text)
        told = (
            "You told me this, and I keep what matters of it once our conversation is over:\n"
            "“I live in Lisbon.”\n“Our daughter Ines is 7.”"
        )
        assert await core.say("What do you know about me?") == told
        await core.say("Remember that my locker is 47")
        assert (await core.say("/memory")).endswith(told)
        sent = len(core.channel.sent)
        await core.say("/reset")
        assert "I read through" in (await core.channel.until_sent(sent + 2))[-1].text
        assert "You told me this" not in await core.say("/memory")


async def test_what_is_said_incognito_is_not_told(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(is_small=True, reader=reader) as core:
        await core.say("/incognito")
        await core.say("I live in Lisbon.")
        assert "nothing in your memory" in await core.say("What do you know about me?")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("What can you do?", "Just write to me."),
        ("What reminders do I have?", "There are no reminders."),
        ("Set a timer for 10 minutes", "I will remind you today at 12:10: “timer” (#1)"),
        ("Wake me up whenever you like", "I can't find a future time in that"),
        ("Tell Rui that I'm late", "I don't know whom you mean."),
        ("Forget that", "What should I forget?"),
    ],
)
async def test_a_command_answers(running_core, text, start):
    async with running_core(is_small=True) as core:
        assert (await core.say(text)).startswith(start)
        assert core.model.requests == []


@pytest.mark.parametrize(
    ("is_small", "tools"), [(False, False), (True, True)], ids=["remote", "with tools"]
)
async def test_a_model_with_tools_carries_them_out_itself(running_core, is_small, tools):
    settings = Settings(model=ModelSettings(embedded=EmbeddedSettings(tools=tools)))
    async with running_core(is_small=is_small, settings=settings) as core:
        for text in ("What do you know about me?", "Remember that I like tea"):
            assert await core.say(text) == f"echo: {text}"
        user = await core.users.find("ada")
        assert await core.database.read(ledger.count, user.user_id) == 0


async def test_what_is_forwarded_asks_for_nothing(running_core):
    async with running_core(is_small=True) as core:
        answer = await core.say("Forget everything you know about me", is_forwarded=True)
        assert answer.startswith("echo: ")


async def test_what_was_just_said_in_other_words_is_found_to_be_forgotten(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(is_small=True, reader=reader) as core:
        for text in ("I live in Lisbon.", "I'm allergic to shrimp"):
            await core.say(text)
        asked = await core.say("forget about the shrimp allergy")
        assert "contains “I'm allergic to shrimp”" in asked
        assert (await core.say("yes")).startswith("Forgotten")
        assert "shrimp" not in await core.say("What do you know about me?")
        while await core.database.read(forgets.under_way):
            pass
        assert "Lisbon" in await core.say("What do you know about me?")
        assert "nothing to forget" in await core.say("Forget that I have a boat")


@pytest.mark.parametrize(
    ("question", "told"), [("When is Kate's wedding?", False), ("When do I call Bob?", True)]
)
async def test_a_reminder_goes_with_a_question_about_it_alone(running_core, question, told):
    async with running_core(is_small=True) as core:
        await core.say("/remind in 10 minutes call Bob")
        await core.say(question)
        assert ("call Bob" in str(core.model.requests[-1].contents)) == told
