"""The tool on earlier conversations, as a model calls it: what it finds, and whose."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from gaia.settings.schema import EmbeddedSettings, MemorySettings, ModelSettings, Settings
from gaia.store import archive
from gaia.testing.clock import FakeClock
from gaia.testing.function_model import ToolCall
from tests.harness.tool_script import ToolScript

TOOL = "search_conversations"


@asynccontextmanager
async def core_with(running_core, **options: object):
    """A core, and a way to have its model look for something."""
    script = ToolScript()
    async with running_core(script, **options) as core:
        count = 0

        async def look(**args: object) -> str:
            nonlocal count
            count += 1
            script.plan(f"look {count}", ToolCall(TOOL, args))
            return await core.say(f"look {count}")

        yield core, look


async def test_what_we_said_about_the_boat_in_june_is_found(running_core):
    clock = FakeClock(datetime(2026, 6, 12, 12, tzinfo=UTC))
    async with core_with(running_core, clock=clock) as (core, look):
        await core.say("The boat leaks <at> the stern")
        await core.say("/reset")
        clock.advance(60 * 24 * 3600)
        await core.say("A boat is a hole in the water")
        found = await look(words="boat", since="June", until="June")
        assert (
            '- 12 June 2026, 12:00: the user said "The boat leaks \u2039at\u203a the stern"'
            in found
        )
        assert "hole" not in found
        assert "hole" in await look(words="boats", since="2026-08")
        assert "nothing was said of that" in await look(words="boat", until="May")


@pytest.mark.parametrize("nothing", ["", "null", "None", None, [], "  "])
async def test_whatever_stands_for_nothing_leaves_it_open(running_core, nothing):
    async with core_with(running_core) as (core, look):
        await core.say("The boat leaks")
        found = await look(words=nothing or "", since=nothing or "", until=nothing or "")
        assert "The boat leaks" in found


async def test_a_time_that_is_none_is_told_to_the_model(running_core):
    async with core_with(running_core) as (_, look):
        assert "write it as 2026-06-30" in await look(words="boat", since="soon")
        assert "exchange them" in await look(words="x", since="2026-06", until="2026-05")


async def test_times_are_those_of_the_users_own_zone(running_core):
    clock = FakeClock(datetime(2026, 6, 30, 20, tzinfo=UTC))
    async with core_with(running_core, clock=clock) as (core, look):
        await core.say("/timezone Tokyo")
        await core.say("The boat leaks")
        assert "- 1 July 2026, 05:00: the user said" in await look(words="boat", since="July 2026")
        assert "nothing was said of that" in await look(words="boat", until="June 2026")


async def test_nobody_finds_what_another_said(running_core):
    async with core_with(running_core, senders=("ada", "bob")) as (core, look):
        await core.say("The boat is at Porto", sender="bob")
        assert "nothing was said of that" in await look(words="boat Porto")


async def test_what_was_said_in_another_context_is_not_found(running_core):
    async with core_with(running_core) as (core, look):
        await core.say("The boat leaks")
        await core.say("/context work")
        await core.say("The boat builders are laid off in March, this is confidential")
        await core.say("hello")
        assert "laid off" in await look(words="builders")
        for command in ("/context off", "/context family", "/incognito"):
            await core.say(command)
            found = await look(words="boat builders")
            assert "leaks" in found
            assert "laid off" not in found
            assert "laid off" not in await look(since="2025")


@pytest.mark.parametrize(("is_small", "most", "longest"), [(False, 6, 4500), (True, 3, 1300)])
async def test_a_result_is_short_and_tells_no_password(running_core, is_small, most, longest):
    settings = Settings(model=ModelSettings(embedded=EmbeddedSettings(tools=True)))
    async with core_with(running_core, is_small=is_small, settings=settings) as (core, look):
        for number in range(6):
            await core.say(f"The boat {number} {'and so on ' * 200}")
        await core.say("the boat: my password is hunter2!")
        found = await look(words="boat")
        assert found.count("the user said") == most
        assert len(found) < longest
        assert "hunter2" not in found


@pytest.mark.parametrize(
    "said",
    [
        f"{'so on ' * 37}my password is hunter2! {'and then some more ' * 3} the boat {'y ' * 99}",
        "The boat is fine, and my password is sunshine\nThanks",
        "The boat is fine, and my password\nis hunter2!",
    ],
    ids=["cut off from its name", "at the end of a line", "on the next line"],
)
async def test_a_password_is_told_neither_in_part_nor_as_one_line(running_core, said):
    async with core_with(running_core) as (core, look):
        await core.say(said)
        assert "nothing was said of that" in await look(words="boat")


async def test_what_was_found_is_no_word_of_the_users(running_core):
    async with core_with(running_core) as (core, look):
        await core.say("The boat leaks")
        await look(words="boat")
        key = await core.key()
        turns = await core.database.read(archive.of_session, key.session_id)
    assert [turn.words for turn in turns] == ["The boat leaks", "look 1"]


async def test_without_memory_there_is_no_such_tool(running_core):
    settings = Settings(memory=MemorySettings(enabled=False))
    async with core_with(running_core, settings=settings) as (core, _):
        await core.say("hello")
        assert TOOL not in core.model.requests[-1].model_dump_json()
