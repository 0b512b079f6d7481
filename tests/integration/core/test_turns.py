"""Turns: answered once, in order, apart from each other, whatever goes wrong."""

from __future__ import annotations

import asyncio

import pytest
from google.adk.models.llm_request import LlmRequest

from gaia.errors import ModelRefusedError, ModelUnavailableError
from gaia.messages import ReceiptKind, TurnEnded, TurnStarted, TurnText, TurnTool
from gaia.settings.schema import LimitsSettings, SessionsSettings, Settings
from gaia.store import inbox
from gaia.testing.clock import until
from gaia.testing.function_model import Answer, ToolCall, last_user_text
from tests.harness.databases import connected
from tests.harness.transactions import next_write
from tests.harness.usage import of_day


def texts(sent) -> list[str]:
    return [outbound.text for outbound in sent]


async def test_a_message_is_answered_and_the_session_holds_both_sides(running_core):
    async with running_core() as core:
        receipt = await core.channel.say("hello")
        assert receipt.kind is ReceiptKind.ACCEPTED
        sent = await core.channel.until_sent(1)
        assert texts(sent) == ["echo: hello"]
        assert sent[0].final
        assert not sent[0].is_failure
        assert sent[0].in_reply_to == ("message-1",)
        assert await core.transcript() == ["user: hello", "gaia: echo: hello"]


async def test_a_redelivered_message_is_answered_once(running_core):
    async with running_core() as core:
        await core.channel.say("hello", provider_message_id="same")
        await core.channel.until_sent(1)
        again = await core.channel.say("hello", provider_message_id="same")
        await core.channel.say("next")
        assert again.kind is ReceiptKind.DUPLICATE
        assert texts(await core.channel.until_sent(2)) == ["echo: hello", "echo: next"]
        assert len(core.model.requests) == 2


async def test_messages_of_a_conversation_are_answered_in_order(running_core):
    async with running_core() as core:
        for number in range(10):
            await core.channel.say(str(number))
        sent = await core.channel.until_sent(10)
        assert texts(sent) == [f"echo: {number}" for number in range(10)]


async def test_a_slow_conversation_holds_up_nobody_else(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        core.model.hold("slow")
        await core.channel.say("slow", sender="ada")
        await core.model.until_asked("slow")
        await core.channel.say("quick", sender="bob")
        assert texts(await core.channel.until_sent(1)) == ["echo: quick"]
        core.model.let_go("slow")
        assert texts(await core.channel.until_sent(2)) == ["echo: quick", "echo: slow"]


async def test_no_more_turns_run_at_once_than_the_limit_allows(running_core):
    settings = Settings(limits=LimitsSettings(concurrent_turns=1))
    async with running_core(senders=("ada", "bob"), settings=settings) as core:
        core.model.hold("first")
        await core.channel.say("first", sender="ada")
        await core.model.until_asked("first")
        await core.channel.say("second", sender="bob")
        assert core.app.handlers.running_turns() == 1
        core.model.let_go("first")
        assert texts(await core.channel.until_sent(2)) == ["echo: first", "echo: second"]


async def test_a_stranger_gets_nothing_and_costs_nothing(running_core):
    async with running_core() as core:
        receipt = await core.channel.say("let me in", sender="mallory")
        assert receipt.kind is ReceiptKind.DENIED
        await core.channel.say("hello")
        await core.channel.until_sent(1)
        assert [outbound.chat for outbound in core.channel.sent] == ["ada"]
        assert len(core.model.requests) == 1


async def test_a_burst_is_one_turn(running_core):
    async with running_core(settles=True) as core:
        await core.channel.say("one")
        core.clock.advance(0.3)
        await core.channel.say("two")
        await core.clock.until_sleeping()
        core.clock.advance(0.4)
        sent = await core.channel.until_sent(1)
        assert texts(sent) == ["echo: one\ntwo"]
        assert sent[0].in_reply_to == ("message-1", "message-2")


async def test_a_message_after_the_settle_time_is_a_turn_of_its_own(running_core):
    async with running_core(settles=True) as core:
        await core.channel.say("one")
        await core.clock.until_sleeping()
        core.clock.advance(0.4)
        await core.channel.until_sent(1)
        await core.channel.say("two")
        await core.clock.until_sleeping()
        core.clock.advance(0.4)
        assert texts(await core.channel.until_sent(2)) == ["echo: one", "echo: two"]


async def test_a_model_that_comes_back_answers_without_a_trace_of_the_failure(running_core):
    answers = iter([ModelUnavailableError("down"), ModelUnavailableError("down"), "here I am"])
    async with running_core(lambda request: next(answers)) as core:
        await core.channel.say("hello")
        for pause in (2, 6):
            await core.clock.until_sleeping()
            core.clock.advance(pause)
        assert texts(await core.channel.until_sent(1)) == ["here I am"]
        assert await core.transcript() == ["user: hello", "gaia: here I am"]


async def test_a_message_that_fails_three_times_is_dead_and_the_user_is_told(running_core):
    async with running_core(lambda request: ModelUnavailableError("secret cause")) as core:
        await core.channel.say("hello")
        for pause in (2, 6):
            await core.clock.until_sleeping()
            core.clock.advance(pause)
        (sent,) = await core.channel.until_sent(1)
        assert "can't reach my model" in sent.text
        assert f"(turn {sent.turn_id})" in sent.text
        assert sent.is_failure
        assert "secret" not in sent.text
        assert len(core.model.requests) == 3
        assert await core.transcript() == []
        backlog = await core.database.read(inbox.backlog)
        assert (backlog.queued, backlog.running, backlog.dead) == (0, 0, 1)


async def test_a_refusal_is_told_at_once_and_the_conversation_goes_on(running_core):
    def answer(request: LlmRequest) -> Answer:
        return ModelRefusedError("no") if last_user_text(request) == "bad" else "fine"

    async with running_core(answer) as core:
        await core.channel.say("bad")
        await core.channel.say("good")
        sent = await core.channel.until_sent(2)
        assert "did not understand my request" in sent[0].text
        assert sent[1].text == "fine"
        assert await core.transcript() == ["user: good", "gaia: fine"]


async def test_an_error_nobody_foresaw_is_told_in_a_fixed_sentence(running_core):
    async with running_core(lambda request: ZeroDivisionError("internals")) as core:
        await core.channel.say("hello")
        for pause in (2, 6):
            await core.clock.until_sleeping()
            core.clock.advance(pause)
        (sent,) = await core.channel.until_sent(1)
        assert sent.text.startswith("Something went wrong on my side.")
        assert "internals" not in sent.text


async def test_a_message_that_is_too_long_never_reaches_the_model(running_core):
    settings = Settings(limits=LimitsSettings(message_characters=100))
    async with running_core(settings=settings) as core:
        await core.channel.say("x" * 101)
        (sent,) = await core.channel.until_sent(1)
        assert "101 characters" in sent.text
        assert core.model.requests == []


async def test_a_paste_that_came_in_parts_is_measured_as_a_whole(running_core):
    settings = Settings(limits=LimitsSettings(message_characters=8_200))
    async with running_core(settings=settings, settles=True) as core:
        for part in ("x" * 4_096, "y" * 4_096, "z" * 9):
            await core.channel.say(part)
        await core.clock.until_sleeping()
        core.clock.advance(0.4)
        (sent,) = await core.channel.until_sent(1)
        assert "8,201 characters" in sent.text
        assert "8,200" in sent.text
        assert core.model.requests == []


async def test_the_length_of_a_message_is_that_of_its_own_words(running_core):
    settings = Settings(limits=LimitsSettings(message_characters=100))
    async with running_core(settings=settings) as core:
        await core.channel.say("x" * 100, notes=("(in reply to “something long”)",))
        assert texts(await core.channel.until_sent(1))[0].endswith("\n" + "x" * 100)


async def test_a_user_has_no_more_than_half_of_the_turns_at_once(running_core):
    settings = Settings(limits=LimitsSettings(concurrent_turns=2))
    async with running_core(senders=("ada", "bob"), settings=settings) as core:
        core.model.hold("slow")
        await core.channel.say("slow", sender="ada")
        await core.model.until_asked("slow")
        await core.channel.say("another", sender="ada", chat="ada's other chat")
        await core.channel.say("quick", sender="bob")
        assert texts(await core.channel.until_sent(1)) == ["echo: quick"]
        core.model.let_go("slow")
        assert set(texts(await core.channel.until_sent(3))[1:]) == {"echo: slow", "echo: another"}


async def test_a_tool_is_called_and_its_result_reaches_the_model(running_core):
    def answer(request: LlmRequest) -> Answer:
        results = [
            part.function_response.response
            for content in request.contents
            for part in content.parts or []
            if part.function_response
        ]
        if results:
            return f"it is {results[-1]['result']}"
        return ToolCall("calculate", {"expression": "6*7"})

    async with running_core(answer) as core:
        await core.channel.say("what is six times seven?", wants_preview=True)
        assert texts(await core.channel.until_sent(1)) == ["it is 42"]
        kinds = [type(event) for event in core.channel.events]
        assert kinds == [TurnStarted, TurnTool, TurnText, TurnEnded]


async def test_a_model_that_calls_tools_without_end_is_cut_off(running_core):
    settings = Settings(limits=LimitsSettings(model_calls_per_turn=4))
    call = ToolCall("calculate", {"expression": "1"})
    async with running_core(lambda request: call, settings=settings) as core:
        await core.channel.say("loop")
        (sent,) = await core.channel.until_sent(1)
        assert "gave no answer" in sent.text
        assert len(core.model.requests) == 4


@pytest.mark.parametrize("nothing", ["", " \n"])
async def test_an_answer_without_a_word_is_told_as_none(running_core, nothing):
    async with running_core(lambda request: nothing) as core:
        await core.channel.say("hello")
        (sent,) = await core.channel.until_sent(1)
        assert "gave no answer" in sent.text
        assert sent.is_failure


async def test_only_the_window_is_replayed(running_core):
    settings = Settings(sessions=SessionsSettings(window_turns=3))
    async with running_core(settings=settings) as core:
        for number in range(14):
            await core.channel.say(str(number))
            await core.channel.until_sent(number + 1)
        said = [content.parts[0].text for content in core.model.requests[-1].contents]
        # 13 turns came before: 3, and so many more that the window begins at a multiple of ten.
        assert said[0] == "10"
        assert said[-1] == "13"
        assert len(await core.transcript()) == 28


async def test_the_context_of_a_turn_is_sent_and_not_stored(running_core):
    async with running_core() as core:
        await core.channel.say("hello")
        await core.channel.until_sent(1)
        (request,) = core.model.requests
        sent_parts = [part.text for part in request.contents[-1].parts]
        assert sent_parts[0] == "hello"
        assert sent_parts[1].startswith("<context>\nNow: ")
        assert await core.transcript() == ["user: hello", "gaia: echo: hello"]


async def test_tokens_are_counted_for_the_user(running_core):
    async with running_core() as core:
        await core.channel.say("hello")
        await core.channel.until_sent(1)
        with core.database.reading() as session:
            day = core.clock.now().astimezone().date()
            ((user_id, used),) = of_day(session, day)
        assert user_id == (await core.key()).user_id
        assert (used.purpose, used.calls, used.tokens_in, used.tokens_out) == ("turn", 1, 10, 5)


async def test_a_drain_lets_the_running_turn_end_and_begins_no_other(running_core):
    async with running_core() as core:
        core.model.hold("now")
        await core.channel.say("now")
        await core.model.until_asked("now")
        await core.channel.say("later")
        core.model.let_go("now")
        await core.app.handlers.drain()
        await core.app.delivery.flush()
        assert texts(core.channel.sent) == ["echo: now"]
    async with running_core() as core:
        assert texts(await core.channel.until_sent(1)) == ["echo: later"]


async def test_a_drain_begins_no_turn_that_waits_for_its_place(running_core):
    settings = Settings(limits=LimitsSettings(concurrent_turns=1))
    async with running_core(senders=("ada", "bob"), settings=settings) as core:
        core.model.hold("first")
        await core.channel.say("first", sender="ada")
        await core.model.until_asked("first")
        await core.channel.say("second", sender="bob")
        drained = asyncio.create_task(core.app.handlers.drain())
        for _ in range(50):
            await asyncio.sleep(0)
        core.model.let_go("first")
        await drained
        assert [last_user_text(request) for request in core.model.requests] == ["first"]


@pytest.mark.parametrize(("text", "reply"), [("hello", "echo: hello"), ("/start", "Hello ada, ")])
async def test_a_message_whose_channel_breaks_off_at_the_commit_is_answered(
    running_core, home, text, reply
):
    async with running_core() as core:
        with connected(home):
            begun = next_write(core.database)
            receiving = asyncio.create_task(core.channel.say(text, provider_message_id="same"))
            await until(begun.is_set)
            for _ in range(200):
                await asyncio.sleep(0)
            receiving.cancel()
            await asyncio.sleep(0)
        await asyncio.wait({receiving})
        assert receiving.cancelled()
        again = await core.channel.say(text, provider_message_id="same")
        assert again.kind is ReceiptKind.DUPLICATE
        assert (await core.channel.until_sent(1))[0].text.startswith(reply)


@pytest.mark.parametrize("incognito", [False, True])
async def test_two_of_one_name_in_a_group_are_told_apart(running_core, incognito):
    async with running_core() as core:
        group = {"direct": False, "sender_name": "Ann"}
        if incognito:
            await core.say("/incognito", author="3", direct=False, sender_name="Bob")
        assert (
            await core.say("nuts make me ill", author="1", **group) == "echo: Ann: nuts make me ill"
        )
        assert (
            await core.say("may I eat nuts?", author="2", **group)
            == "echo: Ann (2): may I eat nuts?"
        )
        assert await core.say("may I?", author="1", **group) == "echo: Ann: may I?"
