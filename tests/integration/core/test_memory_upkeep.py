"""The upkeep of memories each night, and how its user takes it back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy import select

from gaia.commands.memory_text import day
from gaia.core.budgets import Budgets, Spending
from gaia.digest.upkeep.reconcile import Reconciler
from gaia.errors import ModelUnreachableError
from gaia.memory import ledger
from gaia.memory.extraction import Reader
from gaia.memory.memory import Statement
from gaia.memory.protocols import Neighbour
from gaia.settings.schema import MemorySettings, Settings, UpkeepSettings
from gaia.store import upkeep_runs, usage
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.upkeep_tables import MemoryUseRow
from gaia.store.usage import Usage
from gaia.swappable import Swappable
from gaia.testing.clock import START, until
from tests.harness.digests import Asked, ScriptedAsk, ScriptedExtractor

DAY = 24 * 60 * 60

BARE = Settings(memory=MemorySettings(preload=False))
"""What is known goes with messages alone, not before all of them."""


async def run(core, name: str) -> None:
    """Run a job of the schedule now."""
    (job,) = [each for each in core.app.jobs() if each.name == name]
    await job.run()


async def learned(core, text: str, sender: str = "ada", **fields: object) -> int:
    """Something that was learned from a conversation of somebody's."""
    user_id = (await core.key(sender)).user_id
    statement = Statement(text, fields.pop("source", MemorySource.DIGEST), **fields)
    added = await core.database.write(ledger.add, user_id, statement, core.clock.now())
    return added.memory.memory_id


async def talked(core) -> None:
    """Have all users talk every week from now on for three months."""
    for user in await core.users.list():
        for week in range(14):
            day = core.clock.now().astimezone().date() + timedelta(days=7 * week)
            used = Usage("a-model", usage.TURN, 1, 1, 1)
            await core.database.write(usage.add, user.user_id, day, used)


async def uses(core) -> dict[int, int]:
    with core.database.reading() as session:
        found = session.execute(select(MemoryUseRow.memory_id, MemoryUseRow.uses))
        return dict(found.all())


async def active(core, sender: str = "ada") -> list[str]:
    user_id = (await core.key(sender)).user_id
    return [each.text for each in await core.database.read(ledger.every, user_id, limit=99)]


async def settled(core) -> None:
    """Wait until all that turns leave behind is written."""
    parts = (core.app.delivery, core.app.handlers, core.app.profiles)
    await until(lambda: not any(part._workers._tasks for part in parts))


def set_upkeep(core, **changes: object) -> None:
    settings = core.app.settings
    memory = MemorySettings(preload=False, upkeep=UpkeepSettings(**changes))
    settings.replace(settings.value.model_copy(update={"memory": memory}))


async def test_what_goes_with_a_message_is_counted_and_does_not_fade(running_core):
    async with running_core(settings=BARE) as core:
        await core.say("hello")
        sarah = await learned(core, "My sister Sarah lives in Ulm")
        await learned(core, "The old boat is blue")
        await core.say("Where does my sister live?")
        await settled(core)
        assert await uses(core) == {sarah: 1}
        await core.say("And my sister Sarah, where does she live?")
        await settled(core)
        assert (await uses(core))[sarah] == 2


async def test_nothing_of_an_incognito_turn_is_counted(running_core):
    async with running_core(settings=BARE) as core:
        await core.say("hello")
        await learned(core, "My sister Sarah lives in Ulm")
        await core.say("/incognito")
        await core.say("Where does my sister live?")
        await settled(core)
        assert await uses(core) == {}


async def test_what_faded_is_archived_once_and_comes_back_by_undo(running_core):
    async with running_core(settings=BARE, senders=("ada", "bob")) as core:
        await talked(core)
        await learned(core, "The old boat is blue")
        await learned(core, "Boats are fine", source=MemorySource.USER)
        await learned(core, "The old boat is blue", sender="bob")
        await run(core, "fade")
        assert await active(core) == ["The old boat is blue", "Boats are fine"]
        core.clock.advance(80 * DAY)
        await run(core, "fade")
        assert await active(core) == ["The old boat is blue", "Boats are fine"]
        core.clock.advance(11 * DAY)
        for _ in range(2):
            await run(core, "fade")
        assert await active(core) == ["Boats are fine"]
        assert await active(core, "bob") == []
        user_id = (await core.key()).user_id
        assert len(await core.database.read(upkeep_runs.listed, user_id, 9)) == 1
        assert "The old boat is blue" in await core.say("/undo")
        assert await active(core) == ["The old boat is blue", "Boats are fine"]
        assert await active(core, "bob") == []
        await run(core, "fade")
        assert "The old boat is blue" in await active(core)
        assert "nothing" in (await core.say("/undo")).lower()


async def test_the_least_used_rules_beyond_the_most_are_archived(running_core):
    async with running_core() as core:
        await core.say("hello")
        for number in range(4):
            await learned(core, f"Do it in way {number}", kind=MemoryKind.RULE)
        await learned(core, "Always rhyme", kind=MemoryKind.RULE, source=MemorySource.USER)
        await run(core, "rules")
        assert len(await active(core)) == 5
        set_upkeep(core, most_rules=3)
        await run(core, "rules")
        assert await active(core) == ["Do it in way 2", "Do it in way 3", "Always rhyme"]
        assert "Do it in way 0" in await core.say("/undo")
        assert len(await active(core)) == 5


async def test_switched_off_nothing_is_done(running_core):
    async with running_core(settings=BARE) as core:
        await talked(core)
        await learned(core, "The old boat is blue")
        core.clock.advance(91 * DAY)
        set_upkeep(core, enabled=False)
        await run(core, "fade")
        assert await active(core) == ["The old boat is blue"]


async def test_what_is_forgotten_leaves_no_use(running_core):
    async with running_core(settings=BARE) as core:
        await core.say("hello")
        sarah = await learned(core, "My sister Sarah lives in Ulm")
        await core.say("Where does my sister live?")
        await settled(core)
        assert await uses(core) == {sarah: 1}
        await core.say(f"/forget {sarah}")
        await core.say("yes")
        await settled(core)
        assert await uses(core) == {}


async def test_runs_that_did_nothing_are_not_heaped_up(running_core):
    async with running_core() as core:
        await core.say("hello")
        user_id = (await core.key()).user_id
        now = core.clock.now()
        for day in range(3):
            with core.database.writing() as session:
                at = now + timedelta(days=day)
                upkeep_runs.add(session, user_id, "a job", [], at, seen_to=day)
        assert await core.database.read(upkeep_runs.last_look, user_id, "a job") == (2, at)
        assert await core.database.write(upkeep_runs.prune, at + timedelta(days=99)) == 0
        assert await core.database.read(upkeep_runs.listed, user_id, 9) == []


def judged(*changes: str) -> Callable[[Asked], str]:
    """A model that judges pairs so, in their order."""

    def answer(asked: Asked) -> str:
        assert asked.purpose == usage.UPKEEP
        told = [{"pair": number, "change": each} for number, each in enumerate(changes, 1)]
        return json.dumps({"changes": told})

    return answer


@asynccontextmanager
async def comparing(running_core, ask: ScriptedAsk, near: dict[int, list[int]], **changes):
    """A core whose index finds what is `near` each memory, by their numbers."""
    settings = Settings(memory=MemorySettings(auto_ingest=False, **changes))
    reader = Reader(ask, ScriptedExtractor([]))
    async with running_core(settings=settings, reader=reader, senders=("ada", "bob")) as core:

        async def nearest(user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
            every = await core.database.read(ledger.every, user_id, limit=99)
            (number,) = [each.memory_id for each in every if each.text == text]
            return [Neighbour(each, 0.9) for each in near.get(number, [])]

        reconciler = Reconciler(
            database=core.database,
            nearest=nearest,
            reader=Swappable(reader),
            spending=Spending(core.app.settings, core.clock),
            budgets=Budgets(core.app.settings, core.clock),
            clock=core.clock,
            settings=core.app.settings,
        )
        yield core, reconciler


async def lisbon_and_porto(core) -> None:
    for text in ("I live in Lisbon", "I live in Porto, not in Lisbon any more"):
        await learned(core, text, said_at=core.clock.now())
        core.clock.advance(DAY)


async def test_what_a_later_one_replaces_gives_way_once_and_comes_back_by_undo(running_core):
    ask = ScriptedAsk(judged("replaces"))
    async with comparing(running_core, ask, {2: [1, 2]}) as (core, reconciler):
        await lisbon_and_porto(core)
        user_id = (await core.key()).user_id
        bob = (await core.key("bob")).user_id
        assert await reconciler.reconcile(bob) == 0
        assert await reconciler.reconcile(user_id) == 1
        assert await active(core) == ["I live in Porto, not in Lisbon any more"]
        assert "I live in Lisbon" in await core.say("/undo")
        assert len(await active(core)) == 2
        assert await reconciler.reconcile(user_id) == 0
        assert len(ask.asked) == 1
        with core.database.reading() as session:
            (used,) = [
                each.usage
                for each in usage.since(session, START.date(), user_id=user_id)
                if each.usage.purpose == usage.UPKEEP
            ]
        assert (used.calls, used.tokens) == (1, 15)


async def test_no_more_pairs_than_allowed_go_in_one_call_and_the_rest_the_next_night(running_core):
    ask = ScriptedAsk(judged("adds", "adds"))
    near = {number: list(range(1, number)) for number in range(2, 4)}
    upkeep = UpkeepSettings(most_pairs=2)
    async with comparing(running_core, ask, near, upkeep=upkeep) as (core, reconciler):
        for text in ("I like tea", "I like black tea", "I like green tea"):
            await learned(core, text)
        user_id = (await core.key()).user_id
        for _ in range(3):
            assert await reconciler.reconcile(user_id) == 0
        assert [each.text.count("pair ") for each in ask.asked] == [2, 1]
        assert len(await active(core)) == 3


async def test_the_embedded_model_merges_what_has_the_same_words_alone(running_core):
    ask = ScriptedAsk([], is_small=True)
    async with comparing(running_core, ask, {2: [1], 3: [1, 2]}) as (core, reconciler):
        for text in ("I like tea.", "I do not like tea", "I like tea!!"):
            await learned(core, text)
        assert await reconciler.reconcile((await core.key()).user_id) == 1
        assert await active(core) == ["I do not like tea", "I like tea!!"]


async def test_with_the_embedded_model_a_move_stands_dated_before_the_older_home(running_core):
    ask = ScriptedAsk([], is_small=True)
    async with comparing(running_core, ask, {2: [1]}) as (core, reconciler):
        await learned(core, "I live in Graz")
        core.clock.advance(DAY)
        await learned(core, "We moved to Linz")
        assert await reconciler.reconcile((await core.key()).user_id) == 0
        told = await core.say("/memory")
        assert [line.split(" ", 1)[1] for line in told.splitlines() if line.startswith("#")] == [
            f"({day(START + timedelta(days=1))}) “We moved to Linz”",
            f"({day(START)}) “I live in Graz”",
        ]


async def test_what_the_embedded_model_cannot_judge_is_compared_once_another_can(running_core):
    ask = ScriptedAsk(judged("replaces"), is_small=True)
    async with comparing(running_core, ask, {2: [1]}) as (core, reconciler):
        await lisbon_and_porto(core)
        user_id = (await core.key()).user_id
        assert await reconciler.reconcile(user_id) == 0
        ask.is_small = False
        assert await reconciler.reconcile(user_id) == 1
        assert await active(core) == ["I live in Porto, not in Lisbon any more"]


async def test_what_was_forgotten_while_the_model_judged_is_left_alone(running_core):
    ask = ScriptedAsk(judged("replaces"))
    async with comparing(running_core, ask, {2: [1]}) as (core, reconciler):
        await lisbon_and_porto(core)
        user_id = (await core.key()).user_id
        ask.hold()
        run = asyncio.create_task(reconciler.reconcile(user_id))
        await until(lambda: ask.running)
        await core.database.write(ledger.remove, user_id, [2], core.clock.now())
        ask.release()
        assert await run == 0
        assert await active(core) == ["I live in Lisbon"]


async def test_a_model_that_fails_changes_nothing_and_is_asked_again(running_core):
    failed = ModelUnreachableError("no answer")
    ask = ScriptedAsk([failed, judged("same")(Asked("", "", {}, usage.UPKEEP))])
    async with comparing(running_core, ask, {2: [1]}) as (core, reconciler):
        await lisbon_and_porto(core)
        user_id = (await core.key()).user_id
        with pytest.raises(ModelUnreachableError):
            await reconciler.reconcile(user_id)
        assert len(await active(core)) == 2
        assert await reconciler.reconcile(user_id) == 1


async def test_without_calls_left_today_it_waits(running_core):
    ask = ScriptedAsk([])
    async with comparing(running_core, ask, {2: [1]}, calls_per_day=0) as (core, reconciler):
        await lisbon_and_porto(core)
        assert await reconciler.reconcile((await core.key()).user_id) == 0
        assert len(await active(core)) == 2
