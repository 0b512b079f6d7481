"""The tools on memory, as a model calls them: what is kept, changed and forgotten, and whose."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
from google.adk.models.llm_request import LlmRequest
from sqlalchemy import func, select

from gaia.memory import ledger
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.testing.clock import until
from gaia.testing.function_model import Answer, ToolCall, ToolCalls
from tests.harness.tool_script import ToolScript

POT = "the gate code is under the blue pot"
RECALLED = f'- "{POT}" (#1, 1 January 2026)'


def everything(request: LlmRequest) -> str:
    """All texts of the request but the instructions."""
    return "\n".join(
        part.text for content in request.contents for part in content.parts or [] if part.text
    )


@asynccontextmanager
async def core_with(running_core, **options: object):
    """A core, what its model does, and a way to have it call one tool."""
    script = ToolScript()
    async with running_core(script, **options) as core:

        async def use(said: str, name: str, *, then: list[ToolCall] = (), **args: object) -> str:
            script.plan(said, ToolCall(name, args), *then)
            return await core.say(said)

        yield core, use


async def memories(core, name: str = "ada"):
    user = await core.users.find(name)
    return await core.database.read(ledger.every, user.user_id, limit=100, active=False)


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
        assert "Ada is allergic" in await core.say("/memory about ada lovelace")
        assert "I kept it during a conversation" in await core.say("/memory why 1")


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
        await core.say("/remember I love olives")
        assert "kept as #2" in await use(
            "I hate olives now", "update_memory", memory_id="#1", fact="I hate olives now"
        )
        old, new = await memories(core)
        assert (old.status, new.status) == (MemoryStatus.SUPERSEDED, MemoryStatus.ACTIVE)
        assert "love" not in await use("olives?", "load_memory", query="olives")


@pytest.mark.parametrize("day", ["tomorrow", "every Monday"])
async def test_a_reminder_with_other_words_is_still_said_at_its_time(running_core, day):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remind {day} at nine to call Bob")
        before = await core.say("/reminders")
        told = await use("not call Bob: Ann", "update_memory", memory_id=1, fact="call Ann")
        assert "kept as #2, in the place of #1" in told
        assert await core.say("/reminders") == before.replace("#1", "#2").replace("Bob", "Ann")
        told = await use(
            "call Ann at ten", "update_memory", memory_id=2, fact="call Ann tomorrow at 10:00"
        )
        assert "#2 is a reminder" in told
        assert "call Ann" in await core.say("/reminders")


async def test_other_words_for_a_reminder_may_name_the_times_that_its_own_do(running_core):
    async with core_with(running_core) as (core, use):
        own = "water plants every day"
        await use("Remind me of the plants", "remind", what=own, when="every day at 9")
        for number, words in ((1, "Water the plants every day"), (2, "water the roses Every Day")):
            told = await use(f"plants: {words}", "update_memory", memory_id=number, fact=words)
            assert f"kept as #{number + 1}, in the place of #{number}" in told
        told = await use("roses", "update_memory", memory_id=3, fact="water the roses every week")
        assert "#3 is a reminder" in told
        assert "water the roses Every Day" in await core.say("/reminders")


async def test_a_reminder_is_found_with_the_time_for_which_it_is(running_core):
    async with core_with(running_core, provider="openai") as (core, use):
        await core.say("/remind on 20 March at 15:00 to see the dentist in Porto")
        await core.say("/remind every Monday at 9 to water the plants")
        await core.say("When do I see the dentist in Porto?")
        told = '- "see the dentist in Porto" (#1, due Friday 20 March 2026, 15:00)'
        assert told in everything(core.model.requests[-1])
        when = "#1 (due Friday 20 March 2026, 15:00) see the dentist"
        assert when in await use("look", "load_memory", query="dentist")
        again = "#2 (due Monday 5 January 2026, 09:00, and again after that) water"
        assert again in await use("look again", "load_memory", query="plants")


async def test_load_memory_finds_with_numbers_also_what_is_hidden(running_core):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        await core.say("/memory hide 1")
        assert f"#1 (1 January 2026) {POT}" in await use("look", "load_memory", query="gate code")
        assert "nothing is known" in await use("again", "load_memory", query="unicorn")


async def test_what_the_forget_tool_asked_for_is_not_learned_again(running_core):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        await use("forget the pot", "forget_memory", memory_id=1)
        await core.channel.until_sent(3)
        assert "Forgotten: 1 memory" in await core.say("yes")
        assert "forgotten" in await use("drop it", "remember", fact=POT)
        assert await memories(core) == []
        core.clock.advance(1)
        assert "kept as #2" in await use(f"Well: {POT}", "remember", fact=POT)


async def test_a_number_that_nobody_spoke_of_is_a_guess_and_changes_nothing(running_core):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        for name, more in (("forget_memory", {}), ("update_memory", {"fact": "x"})):
            assert "no such number" in await use(f"{name} it", name, memory_id=1, **more)
        assert len(await memories(core)) == 1
        await use("what was it", "load_memory", query="gate code")
        assert "is asked" in await use("drop it", "forget_memory", memory_id=1)


@pytest.mark.parametrize("number", [1, "#7", "x", "9" * 30, -3])
async def test_a_tool_changes_nothing_that_is_another_persons(running_core, number):
    async with core_with(running_core, senders=("ada", "bob")) as (core, use):
        await core.say(f"/remember {POT}", sender="bob")
        for name, more in (("forget_memory", {}), ("update_memory", {"fact": "x"})):
            assert "no such number" in await use(name, name, memory_id=number, **more)
        assert POT not in await use("look", "load_memory", query="gate code")
        (memory,) = await memories(core, "bob")
        assert (memory.text, memory.status) == (POT, MemoryStatus.ACTIVE)


async def test_a_tool_writes_nothing_for_somebody_who_was_removed_meanwhile(running_core):
    script = ToolScript()
    script.plan("keep it", ToolCall("remember", {"fact": POT}))
    async with running_core(script) as core:
        core.model.hold("keep it")
        await core.channel.say("keep it")
        await core.model.until_asked("keep it")
        with core.database.writing() as session:
            identities.leave_tombstone(session, identities.find(session, "ada"), core.clock.now())
        core.model.let_go("keep it")
        await until(lambda: len(core.model.requests) == 2)
        response = core.model.requests[-1].contents[-1].parts[0].function_response
        assert response.response == {"error": "the user was removed meanwhile"}
        with core.database.reading() as session:
            assert session.scalar(select(func.count()).select_from(MemoryRow)) == 0


async def test_no_tool_forgets_everything(running_core):
    async with running_core() as core:
        await core.say("hello")
        (request,) = core.model.requests
        names = {each.name for tool in request.config.tools for each in tool.function_declarations}
        assert names == {
            "calculate",
            "current_time",
            "remember",
            "load_memory",
            "update_memory",
            "forget_memory",
            "search_conversations",
            "remind",
            "send_message",
        }


@pytest.mark.parametrize("fact", [None, ["tea"], {"text": "tea"}, 12, True])
async def test_what_is_no_sentence_is_kept_by_no_tool(running_core, fact):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        assert "give words" in await use("keep it", "remember", fact=fact)
        changed = await use("the gate code", "update_memory", memory_id=1, fact=fact)
        assert "give words" in changed
        assert [memory.text for memory in await memories(core)] == [POT]


@pytest.mark.parametrize("about", [None, ["x"], "none", "null", " "])
async def test_a_name_that_is_none_is_left_out(running_core, about):
    async with core_with(running_core) as (core, use):
        await use("I drink tea", "remember", fact="I drink tea", about=about)
        assert "About" not in await core.say("/memory why 1")


async def test_a_hidden_memory_stays_hidden_when_it_changes(running_core):
    async with core_with(running_core) as (core, use):
        await core.say("/remember I take pills at nine")
        await core.say("/memory hide 1")
        await use("pills at ten now", "update_memory", memory_id=1, fact="I take pills at ten")
        assert ", hidden) “I take pills at ten”" in await core.say("/memory")


async def test_what_changes_is_about_whom_it_still_names(running_core):
    async with core_with(running_core) as (core, use):
        bonn = "Sarah lives in Bonn"
        await use(bonn, "remember", fact=bonn, about="person:sarah_chen")
        ulm = "Sarah lives in Ulm"
        await use(ulm, "update_memory", memory_id=1, fact=ulm)
        assert "#2" in await core.say("/memory about Sarah Chen")
        await use("Who lives in Ulm? Nobody", "update_memory", memory_id=2, fact="Ulm is far")
        assert "Nothing" in await core.say("/memory about Sarah Chen")


async def test_the_same_words_take_nobodys_place(running_core):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        told = await use("the gate code", "update_memory", memory_id=1, fact=POT)
        assert told == "{'result': 'kept as #1'}"


async def test_what_a_turn_keeps_twice_counts_once(running_core):
    async with core_with(running_core) as (core, use):
        again = ToolCall("remember", {"fact": "I drink tea"})
        await use("I drink tea", "remember", then=[again], fact="I drink tea")
        assert "Told" not in await core.say("/memory why 1")
        await use("As I said, I drink tea", "remember", fact="I drink tea")
        assert "Mentioned 2 times." in await core.say("/memory why 1")


async def test_a_number_within_a_memorys_words_was_told_by_no_tool(running_core):
    async with core_with(running_core) as (core, use):
        await core.say(f"/remember {POT}")
        await core.say("/remember at work I am known as #1")
        await use("who am I", "load_memory", query="work known")
        assert "no such number" in await use("drop it", "forget_memory", memory_id=1)
        assert "is asked" in await use("drop it then", "forget_memory", memory_id=2)


async def test_a_change_that_a_turn_makes_again_is_made_once(running_core):
    async with core_with(running_core) as (core, use):
        await core.say("/remember I love olives")
        said, fact = "I hate olives now", {"memory_id": 1, "fact": "I hate olives now"}
        told = await use(said, "update_memory", then=[ToolCall("update_memory", fact)], **fact)
        assert told == "{'result': 'kept as #2'}"
        assert [memory.text for memory in await memories(core)] == ["I love olives", fact["fact"]]
        other = await use("olives?", "update_memory", memory_id=1, fact="I like olives")
        assert "no such number" in other


async def test_many_calls_at_once_each_keep_theirs(running_core):
    facts = [f"fact {number}" for number in range(8)]
    calls = ToolCalls([ToolCall("remember", {"fact": fact}) for fact in [*facts, facts[0]]])

    def answer(request: LlmRequest) -> Answer:
        return "kept" if request.contents[-1].parts[0].function_response else calls

    async with running_core(answer) as core:
        assert await core.say("keep all of them") == "kept"
        assert sorted(memory.text for memory in await memories(core)) == facts
        results = [part.function_response for part in core.model.requests[-1].contents[-1].parts]
        assert sum("known already" in str(each.response) for each in results) == 1


async def test_what_a_tool_kept_before_a_crash_is_kept_once(running_core):
    """The turn runs again under its id, and the model does the same again."""
    script, said = ToolScript(), "By the way I can't eat nuts"
    deed = ToolCall("remember", {"fact": "Ada eats no nuts"})
    script.plan(said, deed)
    async with running_core(script) as core:
        # It dies when all but the end of the turn is done.
        core.app.handlers._ends.write = None
        await core.channel.say(said)
        await until(lambda: bool(core.clock.sleeping))
        (before,) = await memories(core)
        assert await core.transcript() == []
    script.plan(said, deed)
    async with running_core(script) as core:
        (sent,) = await core.channel.until_sent(1)
        assert script.calls_left(said) == 0
        assert await memories(core) == [before]
        assert before.turn_id == sent.turn_id
