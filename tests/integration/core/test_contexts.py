"""Contexts keep things apart: what belongs to another one is in no prompt, search or tool."""

from __future__ import annotations

import pytest

from gaia.errors import UnfitMemoryError
from gaia.memory import pending
from gaia.memory.contexts import checked
from gaia.memory.extraction import Reader
from gaia.memory.memory import Statement
from gaia.store.digest_tables import DigestState
from gaia.store.memory_tables import MemorySource
from gaia.testing.function_model import ToolCall
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes
from tests.harness.tool_script import ToolScript


def requests_with(core, words: str) -> list[str]:
    return [text for text in map(str, core.model.requests) if words in text]


async def keep_both(core) -> None:
    await core.say("/context work")
    await core.say("/remember The budget meeting is on the third floor")
    await core.say("/memory rule 1")
    await core.say("/context off")
    await core.say("/remember The budget for the holiday is small")


async def test_what_belongs_to_another_context_is_invisible(running_core):
    async with running_core(provider="openai") as core:
        await keep_both(core)
        listed = await core.say("/memory")
        assert "holiday" in listed
        assert "third floor" not in listed
        assert "1 memory in other contexts: /context." in listed
        assert "third floor" not in await core.say("/memory search budget")
        rules = "I have no rules of yours here.\n1 rule in other contexts: /context."
        assert await core.say("/memory rules") == rules
        await core.say("Where is the budget meeting?")
        assert requests_with(core, "third floor") == []
        assert requests_with(core, "holiday")


async def test_in_a_context_its_own_and_what_is_global_are_seen(running_core):
    async with running_core(provider="openai") as core:
        await keep_both(core)
        told = await core.say("/context work")
        assert told.startswith("Context “work”: I see what you tell me in it and what is global")
        assert "third floor" in await core.say("/memory rules")
        found = await core.say("/memory search budget")
        assert "third floor" in found
        assert "holiday" in found
        await core.say("Where is the budget meeting?")
        (asked,) = requests_with(core, "Where is the budget meeting?")
        assert "third floor" in asked
        assert "Context: work" in await core.say("/status")


async def test_a_third_context_sees_neither(running_core):
    async with running_core(provider="openai") as core:
        await keep_both(core)
        await core.say("/context club")
        await core.say("Where is the budget meeting?")
        assert requests_with(core, "third floor") == []


async def test_a_tool_neither_finds_nor_changes_what_belongs_elsewhere(running_core):
    calls = [
        ToolCall("load_memory", {"query": "budget meeting"}),
        ToolCall("update_memory", {"memory_id": 1, "fact": "The budget meeting is over"}),
        ToolCall("remember", {"fact": "Ann likes tea"}),
    ]

    def answer(request):
        if calls:
            return calls.pop(0)
        results = [
            str(part.function_response.response)
            for content in request.contents
            for part in content.parts or []
            if part.function_response
        ]
        return " | ".join(results)

    async with running_core(answer, provider="openai") as core:
        await core.say("/context work")
        await core.say("/remember The budget meeting is on the third floor")
        await core.say("/context club")
        told = await core.say("Change the budget meeting, it is over; and Ann likes tea")
        assert "third floor" not in told
        assert "no such number" in told
        assert "kept as #2" in told
        await core.say("/context off")
        assert "Ann" not in await core.say("/memory")


@pytest.mark.parametrize("elsewhere", ["/context club", "/context off"])
async def test_lists_and_numbers_tell_nothing_of_another_context(running_core, elsewhere):
    script = ToolScript()
    async with running_core(script) as core:
        await core.say("/context work")
        await core.say("/remember Tom plans layoffs")
        script.plan("note it", ToolCall("remember", {"fact": "layoffs in March", "about": "Tom"}))
        await core.say("note it")
        await core.say("/remind tomorrow at 9 to speak of layoffs")
        user_id = (await core.key()).user_id
        unsure = Statement("Perhaps layoffs in May", MemorySource.TOOL, context="work")
        await core.database.write(pending.add, user_id, unsure, core.clock.now())
        told = {
            "/memory": "nothing in your memory here.\n3 memories in other contexts: /context.",
            "/memory pending": "1 memory in other contexts: /context.",
            "/memory about Tom": "Nothing in your memory is marked",
            "/reminders": "no reminders here.\n1 reminder in other contexts: /context.",
            **{
                f"/memory {verb} 1": "#1 belongs to the context “work”: /context work goes there."
                for verb in ("why", "hide", "pin", "rule")
            },
            **{
                f"/reminders {verb} 3": "#3 belongs to the context “work”"
                for verb in ("done", "snooze", "cancel", "restore")
            },
            "/undo": "Undone in other contexts: 1 memory.",
        }
        await core.say(elsewhere)
        for command, expected in told.items():
            answer = await core.say(command)
            assert expected in answer
            assert "layoffs" not in answer
        await core.say("/context work")
        for command in ("/memory", "/memory pending", "/reminders", "/memory why 1"):
            assert "layoffs" in await core.say(command)


async def test_a_reminder_that_came_is_answered_in_whichever_context(running_core):
    async with running_core() as core:
        await core.say("/context work")
        await core.say("/remind in one hour feed the cat")
        await core.say("/context off")
        core.clock.advance(3600)
        await core.app.reminder_worker.say_due()
        await core.channel.until_sent(4)
        assert "feed the cat" in core.channel.sent[-1].text
        assert "again" in await core.say("later")
        assert "Done: “feed the cat”" in await core.say("/reminders done 1")


async def test_what_was_asked_about_is_answered_in_whichever_context(running_core):
    async with running_core() as core:
        unsure = Statement("The cat is old", MemorySource.TOOL, context="work")
        user_id = (await core.key()).user_id
        await core.database.write(pending.add, user_id, unsure, core.clock.now())
        assert "#1: “The cat is old”" in await core.say("/memory keep 1")
        assert "cat" not in await core.say("/memory")


async def test_what_is_learned_belongs_to_the_context_of_the_session(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(reader=reader) as core:
        await core.say("/context work")
        await core.say("I like boats")
        await core.say("/context off")
        await core.until_digested(DigestState.CLEARED)
        assert "boats" not in await core.say("/memory")
        await core.say("/context work")
        assert "I like boats" in await core.say("/memory")


async def test_switching_begins_a_new_session(running_core):
    async with running_core(provider="openai") as core:
        await core.say("the secret of work is xyzzy")
        await core.say("/context club")
        await core.say("hello")
        assert len(requests_with(core, "xyzzy")) == 1


async def test_contexts_are_listed_and_bad_names_refused(running_core):
    async with running_core() as core:
        assert "This conversation is in no context" in await core.say("/context")
        await core.say("/context Work")
        assert "in the context “work”" in await core.say("/context work")
        await core.say("/remember The gate code is under the pot")
        assert "/context work (1 memory)" in await core.say("/context")
        assert "called by one word" in await core.say("/context my work")
        assert "left the context" in await core.say("/context off")


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 33, "a/b", "\u202ex"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UnfitMemoryError):
        checked(name)


def test_a_name_is_the_same_in_capitals_and_in_every_script() -> None:
    assert checked("Arbeit") == "arbeit"
    assert checked("仕事") == "仕事"
