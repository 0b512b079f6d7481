"""The upkeep of memories each night, and how its user takes it back."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.settings.schema import MemorySettings, Settings, UpkeepSettings
from gaia.store import upkeep_runs, usage
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.upkeep_tables import MemoryUseRow
from gaia.store.usage import Usage
from gaia.testing.clock import until

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
