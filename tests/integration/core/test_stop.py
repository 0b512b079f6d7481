"""/stop interrupts at once, and the conversation knows of it."""

from __future__ import annotations

from gaia.core.sentences import NOTHING_TO_STOP, STOPPED, STOPPED_MARK
from gaia.errors import ModelUnavailableError, RetryableSendError
from gaia.messages import TurnEnded
from gaia.store import stops
from gaia.testing.clock import until


async def test_stop_interrupts_the_answer_and_the_next_turn_knows(running_core):
    async with running_core() as core:
        core.model.hold("long")
        await core.channel.say("long", provider_message_id="m1")
        await core.model.until_asked("long")
        await core.channel.say("/stop")
        (sent,) = await core.channel.until_sent(1)
        assert sent.text == STOPPED
        await core.channel.say("short", provider_message_id="m2")
        await core.channel.until_sent(2)
        ended = [each for each in core.channel.events if isinstance(each, TurnEnded)]
        assert [each.unanswered for each in ended] == [("m1",), ()]
        assert await core.transcript() == [
            "user: long",
            f"gaia: {STOPPED_MARK}",
            "user: short",
            "gaia: echo: short",
        ]


async def test_the_word_alone_stops_a_model_without_tools(running_core):
    async with running_core(is_small=True) as core:
        core.model.hold("long")
        await core.channel.say("long")
        await core.model.until_asked("long")
        assert await core.say("stop!") == STOPPED


async def test_stop_drops_what_waits_for_a_retry(running_core):
    async with running_core(lambda request: ModelUnavailableError("down")) as core:
        await core.channel.say("hello", provider_message_id="m1")
        await core.clock.until_sleeping()
        await core.channel.say("/stop")
        (sent,) = await core.channel.until_sent(1)
        assert sent.text == STOPPED
        assert core.channel.events[-1] == TurnEnded("ada", "", ("m1",))
        core.clock.advance(60)
        await core.app.handlers.drain()
        assert len(core.model.requests) == 1


async def test_a_turn_that_is_stopped_as_it_begins_asks_no_model(running_core):
    async with running_core() as core:
        take = core.app.handlers._take

        def take_and_stop(session, runner, conversation_id, cue):
            taken = take(session, runner, conversation_id, cue)
            turn_id = stops.running_turn(session, conversation_id)
            assert core.app.handlers.stop_turn(turn_id)
            stops.mark_running(session, conversation_id)
            return taken

        core.app.handlers._take = take_and_stop
        await core.channel.say("hello")
        await core.app.handlers.flush()
        assert await core.transcript() == ["user: hello", f"gaia: {STOPPED_MARK}"]
        assert core.model.requests == []
        assert core.channel.sent == []


async def test_stop_with_nothing_to_stop_says_so(running_core):
    async with running_core() as core:
        await core.channel.say("/stop")
        (sent,) = await core.channel.until_sent(1)
        assert sent.text == NOTHING_TO_STOP


async def test_stop_tells_of_an_answer_whose_rest_is_not_sent(running_core):
    async with running_core() as core:
        core.channel.failures.append(RetryableSendError("busy", after_seconds=60))
        await core.channel.say("hello", provider_message_id="m1")
        await until(lambda: not core.channel.failures)
        await core.clock.until_sleeping()
        await core.channel.say("/stop")
        (sent,) = await core.channel.until_sent(1)
        assert sent.text == STOPPED
        assert core.channel.events[-1] == TurnEnded("ada", "", ("m1",))


async def test_stop_leaves_other_conversations_alone(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        core.model.hold("long")
        await core.channel.say("long", sender="ada")
        await core.model.until_asked("long")
        await core.channel.say("/stop", sender="bob")
        await core.channel.until_sent(1)
        core.model.let_go("long")
        sent = await core.channel.until_sent(2)
        assert [(each.chat, each.text) for each in sent] == [
            ("bob", NOTHING_TO_STOP),
            ("ada", "echo: long"),
        ]
