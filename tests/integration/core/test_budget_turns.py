"""Turns within a day's tokens: what is told before and at the end, and what is asked beyond.

Each call of the scripted model costs 15 tokens.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text

from gaia.agent.plugins import NO_MORE
from gaia.core import budgets
from gaia.core.budgets import next_day
from gaia.errors import ModelTimeoutError
from gaia.messages import Address
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store import usage
from gaia.store.people.users import Role
from gaia.store.tables import InboxState
from gaia.store.usage import Budget, Stage, Usage
from gaia.testing.clock import START
from gaia.testing.function_model import ToolCall
from tests.harness.tool_script import ToolScript
from tests.harness.usage import of_day

MIDNIGHT = next_day(START)
NEAR = budgets._to_user(Stage.NEAR, MIDNIGHT, is_group=False)
USED_UP = budgets._to_user(Stage.USED_UP, MIDNIGHT, is_group=False)
REFUSED = budgets._refused(Budget.USER, MIDNIGHT, is_group=False)
REFUSED_TO_ALL = budgets._refused(Budget.ALL, MIDNIGHT, is_group=False)
OWNER_NEAR = budgets._to_owner(Stage.NEAR, MIDNIGHT)
OWNER_USED_UP = budgets._to_owner(Stage.USED_UP, MIDNIGHT)
HALF_A_DAY = timedelta(hours=12).total_seconds()


def of(*, user: int = 0, together: int = 0, **limits: int) -> Settings:
    return Settings(
        limits=LimitsSettings(user_tokens_per_day=user, tokens_per_day=together, **limits)
    )


async def sent_to(core, chat: str = "ada") -> list[str]:
    """All that was sent to a chat, once nothing is left to be done."""
    await core.app.handlers.flush()
    await core.app.command_runner.drain()
    await core.app.delivery.flush()
    return [each.text for each in core.channel.sent if each.chat == chat]


async def used(core, sender: str = "ada") -> tuple[int, int]:
    """Calls and tokens for somebody today."""
    user_id = (await core.key(sender)).user_id
    today = await core.database.read(of_day, START.date(), user_id=user_id)
    return sum(each.calls for _, each in today), sum(each.tokens for _, each in today)


async def use_elsewhere(core, tokens: int) -> None:
    """Have so many tokens of a remote model used for Ada, apart from her turns."""
    user_id = (await core.key()).user_id
    await core.database.write(
        usage.add, user_id, START.date(), Usage("m", usage.DIGEST, 1, tokens, 0)
    )


async def test_a_user_is_told_before_the_end_and_at_it_and_then_instead_of_an_answer(running_core):
    async with running_core(settings=of(user=37), provider="gemini") as core:
        for n, sent in enumerate([1, 3, 5, 6, 7]):
            await core.channel.say(f"m{n}")
            await core.channel.until_sent(sent)
        assert await sent_to(core) == [
            "echo: m0",
            "echo: m1",
            NEAR,
            "echo: m2",
            USED_UP,
            REFUSED,
            REFUSED,
        ]
        assert len(core.model.requests) == 3
        with core.database.reading() as session:
            rows = session.execute(text("SELECT state, count(*) FROM inbox GROUP BY state"))
            assert dict(rows.all()) == {InboxState.DONE: 3, InboxState.REFUSED: 2}
        assert await core.transcript() == [
            each for n in range(3) for each in (f"user: m{n}", f"gaia: echo: m{n}")
        ]


async def test_it_goes_on_at_midnight_and_by_then_commands_work(running_core):
    async with running_core(settings=of(user=15), provider="gemini") as core:
        assert await core.say("hello") == "echo: hello"
        await core.channel.until_sent(2)
        assert "ada" in await core.say("/whoami")
        assert await core.say("and now?") == REFUSED
        core.clock.advance(HALF_A_DAY)
        assert await core.say("and now?") == "echo: and now?"


async def test_a_budget_that_is_raised_counts_with_the_next_message(running_core):
    async with running_core(settings=of(user=15), provider="gemini") as core:
        await core.say("hello")
        await core.channel.until_sent(2)
        assert await core.say("more") == REFUSED
        core.app.settings.replace(of(user=1000))
        assert await core.say("more") == "echo: more"


async def test_the_model_on_this_machine_answers_without_end(running_core):
    async with running_core(settings=of(user=1, together=1), provider="embedded") as core:
        await use_elsewhere(core, 10)
        for n in range(3):
            assert await core.say(f"m{n}") == f"echo: m{n}"
        assert await used(core) == (4, 55)
        assert len(await sent_to(core)) == 3
        assert (await core.app.status.report()).budget.ok


async def test_owners_alone_are_told_of_what_all_use_where_they_wrote_last(running_core):
    async with running_core(
        settings=of(together=70), provider="gemini", other_channels=("other",)
    ) as core:
        other = core.others["other"]
        grace = await core.users.create("grace", Role.OWNER, Address("fake", "grace"))
        await core.users.link(grace, Address("other", "grace"))
        assert await core.say("hi", sender="grace") == "echo: hi"
        core.clock.advance(1)
        assert await core.say("hi", other, sender="grace") == "echo: hi"
        for n in range(3):
            assert await core.say(f"m{n}") == f"echo: m{n}"
        assert await sent_to(core) == ["echo: m0", "echo: m1", "echo: m2"]
        assert await sent_to(core, "grace") == ["echo: hi"]
        assert [each.text for each in other.sent] == ["echo: hi", OWNER_NEAR, OWNER_USED_UP]


async def test_who_is_refused_is_told_nothing_beside_it(running_core):
    async with running_core(settings=of(user=15), provider="gemini") as core:
        await use_elsewhere(core, 15)
        await core.say("hello")
        assert await sent_to(core) == [REFUSED]


async def test_the_budget_of_all_stops_everybody(running_core):
    async with running_core(
        settings=of(together=15), provider="gemini", senders=("ada", "bob")
    ) as core:
        assert await core.say("hi") == "echo: hi"
        assert (await core.app.status.report()).budget.detail.startswith("limits.tokens_per_day")
        assert "tokens_per_day" not in await core.say("/status", sender="bob")
        assert await core.say("hi", sender="bob") == REFUSED_TO_ALL
        assert await core.say("/whoami", sender="bob") != REFUSED_TO_ALL


async def test_turns_that_have_begun_are_answered_and_told_once(running_core):
    async with running_core(settings=of(user=15), provider="gemini") as core:
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("fake", "ada at work"))
        for said in ("one", "two"):
            core.model.hold(said)
        await core.channel.say("one")
        await core.channel.say("two", sender="ada at work")
        for said in ("one", "two"):
            await core.model.until_asked(said)
            core.model.let_go(said)
        await core.channel.until_sent(3)
        sent = [each.text for each in core.channel.sent]
        assert sorted(sent) == sorted(["echo: one", "echo: two", USED_UP])
        assert await core.say("three") == REFUSED


async def test_what_failed_or_was_stopped_is_counted_as_well(running_core):
    slow = ModelTimeoutError("slow")
    slow.tokens_in, slow.tokens_out = 20, 4

    def answer(request):
        return slow

    async with running_core(answer, settings=of(user=1000), provider="gemini") as core:
        await core.say("fails")
        assert await used(core) == (1, 24)
        core.model.hold("stops")
        await core.channel.say("stops")
        await core.model.until_asked("stops")
        await core.channel.say("/stop")
        await core.channel.until_sent(2)
        await core.app.handlers.flush()
        assert await used(core) == (2, 24)


async def test_tools_beyond_a_turns_number_are_not_called(running_core):
    script = ToolScript()
    script.plan("6*7?", *[ToolCall("calculate", {"expression": "6*7"})] * 3)
    settings = of(tool_calls_per_turn=2)
    async with running_core(script, settings=settings, provider="gemini") as core:
        assert NO_MORE in await core.say("6*7?")
        results = [
            "42" in str(part.function_response.response)
            for content in core.model.requests[-1].contents
            for part in content.parts
            if part.function_response
        ]
        assert results == [True, True, False]


async def test_where_no_tool_may_be_called_none_is_offered(running_core):
    settings = of(tool_calls_per_turn=0)
    async with running_core(settings=settings, provider="gemini") as core:
        assert await core.say("hello") == "echo: hello"
        assert not core.model.requests[0].config.tools
