"""The scripted model and extractor answer, fail and wait as a test tells them."""

import asyncio

import pytest

from gaia.errors import ModelUnavailableError
from gaia.memory.extraction import AskModel, Extraction, Extractor, Window
from gaia.testing.clock import until
from tests.harness.digests import Asked, Read, ScriptedAsk, ScriptedExtractor

SHAPE = {"type": "object"}
WINDOW = Window(1, 1, [], so_far="", user_name="Ada", in_group=False)


async def test_answers_come_one_by_one_and_questions_are_kept() -> None:
    ask = ScriptedAsk(['{"a": 1}', ModelUnavailableError("away")], is_small=True)
    model: AskModel = ask

    answer = await model("Read.", "a talk", SHAPE, purpose="digest")

    assert (answer.text, answer.usage.purpose, answer.usage.calls) == ('{"a": 1}', "digest", 1)
    with pytest.raises(ModelUnavailableError, match="away"):
        await model("Read.", "another", SHAPE, purpose="digest")
    assert ask.asked == [Asked("Read.", text, SHAPE, "digest") for text in ("a talk", "another")]
    with pytest.raises(AssertionError, match="question 3"):
        await model("Read.", "one too many", SHAPE, purpose="digest")


async def test_a_function_answers_each_question() -> None:
    ask = ScriptedAsk(lambda asked: asked.text.upper())

    assert (await ask("", "hello", SHAPE, purpose="profile")).text == "HELLO"


async def test_a_held_question_waits_and_can_be_given_up() -> None:
    extractor = ScriptedExtractor(lambda read: Extraction(f"window {read.window.number}", []))
    reads: Extractor = extractor
    extractor.hold()
    given_up = asyncio.create_task(reads.extract(WINDOW, []))
    waiting = asyncio.create_task(reads.extract(WINDOW, []))
    await until(lambda: extractor.running == 2)

    given_up.cancel()
    await asyncio.wait({given_up})
    assert (extractor.cancelled, extractor.running, waiting.done()) == (1, 1, False)

    extractor.release()
    assert (await waiting).extraction.summary == "window 1"
    assert extractor.asked == [Read(WINDOW, []), Read(WINDOW, [])]
