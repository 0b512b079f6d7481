"""Conversations that idle out, or are left, are read and learned from; then their session goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from gaia.errors import ModelUnavailableError
from gaia.learning import Reader
from gaia.memory import ledger
from gaia.memory.digest.findings import Extraction, Finding, Operation
from gaia.settings.schema import MemorySettings, Settings
from gaia.store import digests
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.digests import Digest
from gaia.store.memory_tables import MemoryKind
from gaia.testing.digests import Read, ScriptedAsk, ScriptedExtractor
from gaia.testing.until import until

HALF_AN_HOUR = timedelta(minutes=30).total_seconds()
MINUTE = 60
WEEK = 7 * 24 * 60 * MINUTE
BROKEN = ModelUnavailableError("the model is down: wait")
ALL = 1000


def likes(read: Read) -> Extraction:
    """Of each turn that says what its user likes, that they do."""
    said = [turn.words for turn in read.window.turns if turn.words.startswith("I like ")]
    found = [
        Finding(Operation.ADD, MemoryKind.FACT, f"Likes {words.removeprefix('I like ')}", words)
        for words in said
    ]
    return Extraction(f"{read.window.so_far} {', '.join(said)}".strip() or "Nothing.", found)


@pytest.fixture
def extractor() -> ScriptedExtractor:
    return ScriptedExtractor(likes)


def reader(extractor: ScriptedExtractor, *, small: bool = False) -> Reader:
    return Reader(ScriptedAsk([], is_small=small), extractor)


async def idle(core, seconds: float = HALF_AN_HOUR) -> None:
    """Let so much time pass, and look for what idled out."""
    core.clock.advance(seconds)
    await core.app.digesting.sweep()


async def digested(core) -> list[Digest]:
    async with core.stores.database.read() as session:
        rows = await session.scalars(select(DigestRow).order_by(DigestRow.digest_id))
        return [await digests.get(session, row.digest_id) for row in rows.all()]


async def known(core, sender: str = "ada") -> list[str]:
    user_id = (await core.key(sender)).user_id
    async with core.stores.database.read() as session:
        memories = await ledger.every(session, user_id, limit=ALL)
    return [each.text for each in memories if each.kind is MemoryKind.FACT]


async def until_states(core, *states: DigestState) -> None:
    """Return once the digests are in these states; whoever pauses is woken."""
    while [digest.state for digest in await digested(core)] != list(states):
        await core.app.digesting.sweep()


async def sessions_left(core) -> list[str]:
    return [one.session_id for one in await core.stores.sessions.list()]


async def test_a_conversation_that_idles_is_learned_from_and_cleared(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        await core.say("hello")
        await idle(core, HALF_AN_HOUR - 1)
        assert await digested(core) == []
        await idle(core, 1)
        await until_states(core, DigestState.CLEARED)
        assert await known(core) == ["Likes boats"]
        assert await sessions_left(core) == []
        assert len(extractor.asked) == 1
        await core.say("and now?")
        assert await core.transcript(generation=2) == ["user: and now?", "gaia: echo: and now?"]


async def test_a_message_meanwhile_is_answered_at_once_and_is_of_the_next_session(
    running_core, extractor
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running == 1)
        assert await core.say("I like tea") == "echo: I like tea"
        extractor.release()
        await until_states(core, DigestState.CLEARED)
        assert await known(core) == ["Likes boats"]
        await idle(core)
        await until_states(core, DigestState.CLEARED, DigestState.CLEARED)
        assert sorted(await known(core)) == ["Likes boats", "Likes tea"]


async def test_two_users_are_read_at_once_and_one_users_sessions_in_turn(running_core, extractor):
    async with running_core(reader=reader(extractor), senders=("ada", "bob")) as core:
        await core.say("I like boats")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running == 1)
        await core.say("I like tea")
        await core.say("I like bikes", sender="bob")
        await idle(core)
        await until(lambda: extractor.running == 2)
        assert {read.window.user_name for read in extractor.asked} == {"ada", "bob"}
        extractor.release()
        await until_states(core, *[DigestState.CLEARED] * 3)
        assert await known(core, "bob") == ["Likes bikes"]
        assert len(extractor.asked) == 3


async def test_a_model_that_is_down_is_asked_three_times_and_nothing_is_lost(running_core):
    extractor = ScriptedExtractor([BROKEN] * 3)
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I am a vegetarian and I live in Porto.")
        await idle(core)
        for count, pause in ((1, MINUTE), (2, 5 * MINUTE)):
            await until(lambda count=count: len(extractor.asked) == count)
            await core.clock.until_sleeping()
            core.clock.advance(pause - 1)
            await core.app.digesting.sweep()
            await core.clock.until_sleeping()
            assert len(extractor.asked) == count
            core.clock.advance(1)
        await until_states(core, DigestState.FAILED)
        (digest,) = await digested(core)
        assert digest.error == str(BROKEN)
        assert len(await sessions_left(core)) == 1
        assert len(extractor.asked) == 3
        status = await core.app.status.report()
        assert status.digests.failed == 1
        assert "gaia sessions digest --retry" in status.digests.detail
        assert "learning" in {part.name for part in status.degraded}


async def test_what_failed_is_read_after_all_by_the_daily_upkeep(running_core):
    down = True

    def answer(read: Read) -> Extraction | Exception:
        return BROKEN if down else likes(read)

    async with running_core(reader=reader(ScriptedExtractor(answer))) as core:
        await core.say("I like boats")
        await idle(core)
        while (await digested(core))[0].state is not DigestState.FAILED:
            core.clock.advance(MINUTE)
            await core.app.digesting.sweep()
        down = False
        await core.app.upkeep.run()
        await until_states(core, DigestState.CLEARED)
        assert await known(core) == ["Likes boats"]
        assert await sessions_left(core) == []


async def test_reset_says_at_once_and_later_what_was_learned(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        said = await core.say("/reset")
        assert said == "We begin anew. I read through our last message and tell you what I keep."
        await core.channel.until_sent(3)
        announced = core.channel.sent[2]
        assert "Likes boats" in announced.text
        assert announced.buttons[0].command == "/undo"
        await until_states(core, DigestState.CLEARED)
        assert await core.say("/reset") == (
            "This conversation is new already. What is on your mind?"
        )


async def test_reset_waits_for_the_turn_that_it_interrupts_nothing_of(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        core.model.hold("I like boats")
        await core.channel.say("I like boats")
        await core.model.until_asked("I like boats")
        await core.say("/reset")
        assert not extractor.asked
        core.model.let_go("I like boats")
        await core.channel.until_sent(3)
        assert "Likes boats" in core.channel.sent[2].text
        await until_states(core, DigestState.CLEARED)


async def test_reset_without_learning_begins_anew_and_keeps_the_session(running_core, extractor):
    settings = Settings(memory=MemorySettings(auto_ingest=False))
    async with running_core(reader=reader(extractor), settings=settings) as core:
        await core.say("I like boats")
        await idle(core)
        assert await core.say("/reset") == (
            "We begin anew: I no longer have the last 1 message in mind."
        )
        assert await digested(core) == []
        assert len(await sessions_left(core)) == 1


async def test_a_session_of_what_was_forwarded_alone_costs_no_call(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats", is_forwarded=True)
        await idle(core)
        await until_states(core, DigestState.CLEARED)
        assert extractor.asked == []
        assert await known(core) == []


async def test_a_small_model_gives_way_to_turns(running_core, extractor):
    async with running_core(reader=reader(extractor, small=True)) as core:
        await core.say("I like boats")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running == 1)
        await core.say("I like tea")
        assert extractor.cancelled == 1
        extractor.release()
        await until_states(core, DigestState.CLEARED)
        (digest,) = await digested(core)
        assert digest.attempts == 0
        assert await known(core) == ["Likes boats"]


async def test_a_user_without_calls_left_waits_for_tomorrow(running_core, extractor):
    settings = Settings(memory=MemorySettings(calls_per_day=1, preload=False))
    async with running_core(reader=reader(extractor), settings=settings) as core:
        await core.say("I like boats")
        await idle(core)
        await until_states(core, DigestState.CLEARED)
        await core.say("I like tea")
        await idle(core)
        await core.clock.until_sleeping()
        assert (await core.app.status.report()).digests.over_budget == 1
        assert len(extractor.asked) == 1
        await idle(core, 24 * 60 * MINUTE)
        await until_states(core, DigestState.CLEARED, DigestState.CLEARED)


async def test_a_user_who_is_removed_while_their_session_is_read_leaves_nothing(
    running_core, extractor
):
    async with running_core(reader=reader(extractor), senders=("ada", "bob")) as core:
        await core.say("I like boats")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running == 1)
        await core.users.remove(await core.users.find("ada"))
        extractor.release()
        await core.app.digesting.flush()
        assert await digested(core) == []


@pytest.mark.parametrize("away", [24 * 60 * MINUTE, WEEK])
async def test_what_idled_while_gaia_was_off_is_read_once_at_the_next_start(
    home, core_on: Callable[..., object], extractor, away
):
    async with core_on(home, reader=reader(extractor)) as core:
        await core.say("I like boats")
        clock = core.clock
    clock.advance(away)
    async with core_on(home, reader=reader(extractor), clock=clock) as core:
        await core.app.digesting.sweep()
        await until_states(core, DigestState.CLEARED)
        assert await known(core) == ["Likes boats"]


async def test_a_clock_set_back_delays_no_conversation_by_more_than_its_idle_time(
    running_core, extractor
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        core.clock.advance(-WEEK)
        await core.app.digesting.sweep()
        assert await digested(core) == []
        await idle(core)
        await until_states(core, DigestState.CLEARED)
