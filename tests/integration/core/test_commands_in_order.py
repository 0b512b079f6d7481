"""Commands count for what was written before them, and not for what came after."""

from __future__ import annotations

from gaia.core.sentences import STOPPED
from gaia.errors import ModelUnavailableError


async def asleep(core) -> None:
    """Let messages be accepted and nothing be done about them."""
    await core.app.handlers.drain()
    await core.app.command_runner.drain()


async def test_what_was_said_after_a_reset_belongs_to_the_next_session(running_core):
    async with running_core() as core:
        await asleep(core)
        for text in ("before", "/reset", "after", "/new", "last"):
            await core.channel.say(text)
    async with running_core() as core:
        await core.channel.until_sent(5)
        assert await core.transcript(generation=1) == ["user: before", "gaia: echo: before"]
        assert await core.transcript(generation=2) == ["user: after", "gaia: echo: after"]
        assert await core.transcript(generation=3) == ["user: last", "gaia: echo: last"]


async def test_stop_takes_nothing_from_what_was_said_after_it(running_core):
    async with running_core() as core:
        await asleep(core)
        for text in ("before", "/stop", "after"):
            await core.channel.say(text)
    async with running_core(recover=False) as core:
        await core.app.command_runner.recover()
        sent = await core.channel.until_sent(2)
        assert [each.text for each in sent] == [STOPPED, "echo: after"]


async def test_a_burst_ends_at_a_command_that_waits(running_core):
    async with running_core(settles=True) as core:
        await asleep(core)
        for text in ("one", "/whoami", "two"):
            await core.channel.say(text)
    async with running_core(settles=True, recover=False) as core:
        core.clock.advance(60)
        await core.app.handlers.recover()
        assert (await core.channel.until_sent(1))[0].text == "echo: one"
        await core.app.command_runner.recover()
        assert (await core.channel.until_sent(3))[2].text == "echo: two"


async def test_a_turn_that_was_stopped_stays_stopped_over_a_crash(running_core):
    async with running_core() as core:
        core.model.hold("long")
        await core.channel.say("long")
        await core.model.until_asked("long")
        # The handler dies before it can end the turn.
        key = await core.key()
        core.app.handlers._ends.write = None
        await core.channel.say("/stop")
        assert (await core.channel.until_sent(1))[0].text == STOPPED
    async with running_core() as core:
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        assert core.channel.sent == []
        assert core.model.requests == []
        events = await core.events(key)
        assert len(events) == 2


async def test_a_turn_that_is_stopped_while_it_fails_is_not_tried_again(running_core):
    async with running_core(lambda request: ModelUnavailableError("down")) as core:
        close = core.app.handlers._ends.write
        stopped = []

        def stop_meanwhile(session, conversation, batch, *turn):
            stopped.append(core.app.handlers.stop_turn(batch.turn_id))
            return close(session, conversation, batch, *turn)

        core.app.handlers._ends.write = stop_meanwhile
        await core.channel.say("hello")
        await core.app.handlers.flush()
        assert stopped == [True]
        assert core.clock.sleeping == ()
        assert core.channel.sent == []
