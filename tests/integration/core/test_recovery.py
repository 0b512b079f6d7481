"""What a crash leaves behind is taken up, once, wherever the crash struck.

A crash is played by doing what the process did up to then, and by starting a
new core on the same files.
"""

from __future__ import annotations

from datetime import timedelta

from gaia.agent.plugins import Meter
from gaia.agent.turn import Ask, Scene
from gaia.core.handler import INTERRUPTIONS
from gaia.core.running_turns import RunningTurn
from gaia.core.turn_end import session_key
from gaia.messages import REPEAT_MARK
from gaia.store import batches, chunk_states, conversations, outbox

NO_SETTLING = timedelta(0)


async def accepted(core, text: str) -> int:
    """The conversation of a message that was accepted, with the handlers asleep."""
    await core.app.handlers.drain()
    await core.channel.say(text)
    user = await core.users.find("ada")
    with core.database.reading() as session:
        conversation = conversations.find(
            session, user_id=user.user_id, channel=core.channel.name, chat="ada"
        )
        assert conversation is not None
    return conversation.conversation_id


async def taken(core, text: str):
    """A turn that was begun: its conversation, its batch and its session."""
    conversation_id = await accepted(core, text)
    with core.database.writing() as session:
        batch = batches.take(
            session, conversation_id, turn_id="t1", settle=NO_SETTLING, now=core.clock.now()
        )
        conversation = conversations.get(session, conversation_id)
    key = session_key(conversation, batch.generation)
    return conversation, batch, key


async def test_a_message_that_was_only_accepted_is_answered(running_core):
    async with running_core() as core:
        await accepted(core, "hello")
    async with running_core() as core:
        assert [each.text for each in await core.channel.until_sent(1)] == ["echo: hello"]


async def test_a_turn_that_was_only_begun_is_run(running_core):
    async with running_core() as core:
        await taken(core, "hello")
    async with running_core() as core:
        await core.channel.until_sent(1)
        assert await core.transcript() == ["user: hello", "gaia: echo: hello"]


async def test_an_answer_that_was_not_written_is_asked_for_again(running_core):
    async with running_core(lambda request: "the first answer") as core:
        conversation, batch, key = await taken(core, "hello")
        agent, scene = core.app.answering.agent.value, Scene(key, "ada", 0)
        answer = await agent.answer(
            scene,
            Ask("t1", batch.text, batch.text, core.clock.now(), stream=False),
            await core.database.read(agent.read, scene, 0),
            Meter(),
            RunningTurn(core.channel, conversation.chat, "t1"),
        )
        assert answer.text == "the first answer"
        assert await core.transcript() == []
    async with running_core(lambda request: "another answer") as core:
        assert [each.text for each in await core.channel.until_sent(1)] == ["another answer"]
        assert await core.transcript() == ["user: hello", "gaia: another answer"]


async def test_a_reply_that_was_not_sent_is_sent(running_core):
    async with running_core() as core:
        await core.app.delivery.flush()
        await core.channel.say("hello")
        await core.app.handlers.flush()
        assert core.channel.sent == []
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert (sent.text, sent.is_repeat) == ("echo: hello", False)


async def test_a_chunk_that_was_being_sent_is_sent_again_and_marked(running_core):
    async with running_core() as core:
        await core.app.delivery.flush()
        await core.channel.say("hello")
        await core.app.handlers.flush()
        with core.database.writing() as session:
            (conversation_id,) = outbox.open_conversations(session)
            chunk = outbox.next_due(session, conversation_id).chunk
            chunk_states.begin(session, chunk.outbox_id, repeated=False, now=core.clock.now())
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert sent.marked_text == f"{REPEAT_MARK}echo: hello"


async def test_a_command_that_was_only_accepted_runs(running_core):
    async with running_core() as core:
        await core.app.command_runner.drain()
        await core.channel.say("/whoami")
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert sent.text.startswith("You are ada")


async def test_a_turn_that_keeps_crashing_gaia_is_given_up(running_core):
    async with running_core() as core:
        conversation, _, _ = await taken(core, "poison")
        with core.database.writing() as session:
            for _ in range(INTERRUPTIONS):
                batches.take(
                    session,
                    conversation.conversation_id,
                    turn_id="t1",
                    settle=NO_SETTLING,
                    now=core.clock.now(),
                )
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert "interrupted each time" in sent.text
        assert core.model.requests == []


async def test_a_clock_that_was_set_back_holds_up_no_message(running_core):
    async with running_core(settles=True) as core:
        core.clock.advance(3_600)
        await accepted(core, "hello")
    async with running_core(settles=True) as core:
        assert [each.text for each in await core.channel.until_sent(1)] == ["echo: hello"]
