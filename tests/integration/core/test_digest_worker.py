"""Conversations that idle out, or are left, are read and learned from; then their session goes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.errors import ModelTooLongError, ModelUnavailableError
from gaia.memory.extraction import Extraction, Reader
from gaia.settings.schema import MemorySettings, Settings
from gaia.store.digest_tables import DigestState
from gaia.testing.clock import until
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor, likes

HALF_AN_HOUR = timedelta(minutes=30).total_seconds()
MINUTE = 60
BROKEN = ModelUnavailableError("the model is down: wait")


@pytest.fixture
def extractor() -> ScriptedExtractor:
    return ScriptedExtractor(likes)


def reader(extractor: ScriptedExtractor, *, small: bool = False) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}", is_small=small), extractor)


async def sessions_left(core) -> list[str]:
    return [one.session_id for one in await core.sessions()]


async def test_a_conversation_that_idles_is_learned_from_and_cleared(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        await core.say("hello")
        await core.idle(HALF_AN_HOUR - 1)
        assert await core.digests() == []
        await core.idle(1)
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]
        assert await sessions_left(core) == []
        assert len(extractor.asked) == 1
        await core.say("and now?")
        assert await core.transcript(generation=2) == ["user: and now?", "gaia: echo: and now?"]


async def test_a_conversation_idles_from_its_last_answer_on(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        core.model.hold("I like boats")
        await core.channel.say("I like boats")
        await core.model.until_asked("I like boats")
        core.clock.advance(60 * HALF_AN_HOUR)
        core.model.let_go("I like boats")
        await core.channel.until_sent(1)
        await core.idle(HALF_AN_HOUR - 1)
        assert await core.digests() == []


async def test_a_message_meanwhile_is_answered_at_once_and_is_of_the_next_session(
    running_core, extractor
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        assert await core.say("I like tea") == "echo: I like tea"
        extractor.release()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]
        await core.idle()
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
        assert sorted(await core.facts()) == ["I like boats", "I like tea"]


async def test_a_host_that_finds_a_window_too_long_is_given_shorter_ones(running_core):
    def answer(read: Read) -> Extraction | Exception:
        if len(read.window.turns) > 1:
            extractor.window_tokens = 40
            return ModelTooLongError("too long")
        return likes(read)

    extractor = ScriptedExtractor(answer)
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        await core.say("I like tea")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert sorted(await core.facts()) == ["I like boats", "I like tea"]
        assert [len(read.window.turns) for read in extractor.asked] == [2, 1, 1]


async def test_two_users_are_read_at_once_and_one_users_sessions_in_turn(running_core, extractor):
    async with running_core(reader=reader(extractor), senders=("ada", "bob")) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        await core.say("I like tea")
        await core.say("I like bikes", sender="bob")
        await core.idle()
        await until(lambda: extractor.running == 2)
        assert {read.window.user_name for read in extractor.asked} == {"ada", "bob"}
        extractor.release()
        await core.until_digested(*[DigestState.CLEARED] * 3)
        assert await core.facts("bob") == ["I like bikes"]
        assert len(extractor.asked) == 3


async def test_a_model_that_is_down_is_asked_three_times_and_nothing_is_lost(running_core):
    extractor = ScriptedExtractor([BROKEN] * 3)
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I am a vegetarian and I live in Porto.")
        await core.idle()
        for count, pause in ((1, MINUTE), (2, 5 * MINUTE)):
            await until(lambda count=count: len(extractor.asked) == count)
            await core.clock.until_sleeping()
            core.clock.advance(pause - 1)
            await core.app.digest_worker.sweep()
            await core.clock.until_sleeping()
            assert len(extractor.asked) == count
            core.clock.advance(1)
        await core.until_digested(DigestState.FAILED)
        (digest,) = await core.digests()
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
        await core.idle()
        while (await core.digests())[0].state is not DigestState.FAILED:
            core.clock.advance(MINUTE)
            await core.app.digest_worker.sweep()
        down = False
        await core.app.upkeep.run()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]
        assert await sessions_left(core) == []


async def test_reset_says_at_once_and_later_what_was_learned(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        said = await core.say("/reset")
        assert (
            said
            == "New conversation. I will read through our last message and tell you what I keep."
        )
        await core.channel.until_sent(3)
        announced = core.channel.sent[2]
        assert "I like boats" in announced.text
        assert announced.buttons[0].command == "/undo"
        await core.until_digested(DigestState.CLEARED)
        assert await core.say("/reset") == (
            "This conversation is already new. What is on your mind?"
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
        assert "I like boats" in core.channel.sent[2].text
        await core.until_digested(DigestState.CLEARED)


async def test_reset_without_learning_begins_again_and_keeps_the_session(running_core, extractor):
    settings = Settings(memory=MemorySettings(auto_ingest=False))
    async with running_core(reader=reader(extractor), settings=settings) as core:
        await core.say("I like boats")
        await core.idle()
        assert await core.say("/reset") == (
            "New conversation: I no longer see your last 1 message."
        )
        assert await core.digests() == []
        assert len(await sessions_left(core)) == 1


async def test_a_session_of_what_was_forwarded_alone_costs_no_call(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats", is_forwarded=True)
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert extractor.asked == []
        assert await core.facts() == []


async def test_a_small_model_gives_way_to_turns(running_core, extractor):
    async with running_core(reader=reader(extractor, small=True)) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        await core.say("I like tea")
        assert extractor.cancelled == 1
        extractor.release()
        await core.until_digested(DigestState.CLEARED)
        (digest,) = await core.digests()
        assert digest.attempts == 0
        assert await core.facts() == ["I like boats"]


async def test_a_user_without_calls_left_waits_for_tomorrow(running_core, extractor):
    settings = Settings(memory=MemorySettings(calls_per_day=1, preload=False))
    async with running_core(reader=reader(extractor), settings=settings) as core:
        await core.say("I like boats")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        await core.say("I like tea")
        await core.idle()
        await core.clock.until_sleeping()
        assert (await core.app.status.report()).digests.over_budget == 1
        assert len(extractor.asked) == 1
        await core.idle(24 * 60 * MINUTE)
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
