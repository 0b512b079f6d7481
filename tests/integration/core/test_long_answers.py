"""Answers that are longer than a chat is to have: so many messages, and all of it as a file; and
/stop ends what is still to be sent."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from google.adk.models.llm_request import LlmRequest

from gaia.core.sentences import NOTHING_TO_STOP, REST_IN_FILE, REST_LEFT_OUT, STOPPED
from gaia.errors import RetryableSendError
from gaia.memory.transfer.export import MEDIA_TYPE
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store import outbox
from gaia.store.tables import OutboxState
from gaia.testing.clock import until
from gaia.testing.function_model import Answer, ToolCall

TEN_LONG = 10 * 20


def long_answer(request: object) -> str:
    return "".join(f"{number:04d} " for number in range(1000))


def waiting(core) -> list[str]:
    """What is to be sent."""
    with core.database.reading() as session:
        listed = outbox.listed(session, states=(OutboxState.PENDING, OutboxState.SENDING))
    return [each.chunk.text for each in listed]


async def test_ten_messages_are_sent_and_all_of_it_as_a_file(running_core):
    async with running_core(long_answer, longest=20) as core:
        core.channel.taken = {"text/plain"}
        await core.channel.say("hello")
        sent = await core.channel.until_sent(10)
        await core.app.delivery.flush()
        assert len(core.channel.sent) == 10
        assert "".join(each.text for each in sent[:9]) == long_answer(None)[: 9 * 20]
        assert sent[9].text == REST_IN_FILE
        assert [each.final for each in sent] == [False] * 9 + [True]
        assert [each.file is None for each in sent] == [True] * 9 + [False]
        assert sent[9].file.name == "answer.txt"
        content = await core.database.read(outbox.file_content, sent[9].outbox_id)
        assert content.decode() == long_answer(None)
        assert (await core.transcript())[1] == f"gaia: {long_answer(None)}"


async def test_a_question_behind_it_is_a_message_of_its_own(running_core):
    def answer(request: LlmRequest) -> Answer:
        if request.contents[-1].parts[0].function_response:
            return long_answer(request)
        return ToolCall("send_message", {"to": "bob", "text": "The pie is done"})

    settings = Settings(limits=LimitsSettings(answer_messages=2))
    async with running_core(
        answer, longest=200, senders=("ada", "bob"), provider="openai", settings=settings
    ) as core:
        core.channel.taken = {"text/plain"}
        await core.say("hi", sender="bob", chat="bob")
        await core.channel.say("Tell Bob of the pie, and me of numbers")
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        _, rest, *asked = (each for each in core.channel.sent if each.chat == "ada")
        assert (rest.text, rest.file is None, rest.buttons) == (REST_IN_FILE, False, ())
        assert "The pie is done" in "".join(each.text for each in asked)
        assert [each.file for each in asked] == [None] * len(asked)
        assert [each.final for each in asked][-1]
        assert [each.answer for each in asked[-1].buttons][:2] == ["yes", "no"]


async def test_a_channel_of_documents_gets_one(running_core):
    async with running_core(long_answer, longest=20) as core:
        core.channel.taken = {MEDIA_TYPE}
        await core.channel.say("hello")
        sent = await core.channel.until_sent(10)
        content = await core.database.read(outbox.file_content, sent[9].outbox_id)
        with zipfile.ZipFile(BytesIO(content)) as document:
            assert "0999" in document.read("word/document.xml").decode()


async def test_a_channel_without_files_is_told_how_to_go_on(running_core):
    settings = Settings(limits=LimitsSettings(answer_messages=3))
    async with running_core(long_answer, longest=20, settings=settings) as core:
        await core.channel.say("hello")
        sent = await core.channel.until_sent(3)
        assert sent[2].text == REST_LEFT_OUT


@pytest.mark.parametrize("length", [TEN_LONG - 1, TEN_LONG])
async def test_what_fits_is_sent_as_it_is(running_core, length: int):
    async with running_core(lambda request: "x" * length, longest=20) as core:
        await core.channel.say("hello")
        sent = await core.channel.until_sent(10)
        assert "".join(each.text for each in sent) == "x" * length


async def test_stop_ends_what_is_still_to_be_sent(running_core):
    async with running_core(long_answer, longest=20) as core:
        core.channel.taken = {"text/plain"}
        core.channel.failures = [RetryableSendError("busy", after_seconds=30)]
        await core.channel.say("hello")
        await until(lambda: not core.channel.failures)
        await core.clock.until_sleeping()
        await core.channel.say("/stop")
        await until(lambda: waiting(core) == [STOPPED])
        core.clock.advance(60)
        (sent,) = await core.channel.until_sent(1)
        assert sent.text == STOPPED
        await core.app.delivery.flush()
        assert [each.text for each in core.channel.sent] == [STOPPED]
        assert waiting(core) == []


async def test_stop_leaves_replies_to_commands_to_be_sent(running_core):
    async with running_core() as core:
        core.channel.failures = [RetryableSendError("busy", after_seconds=30)]
        await core.channel.say("/whoami")
        await core.clock.until_sleeping()
        await core.channel.say("/stop")
        core.clock.advance(60)
        sent = await core.channel.until_sent(2)
        assert "You are ada" in sent[0].text
        assert sent[1].text == NOTHING_TO_STOP
