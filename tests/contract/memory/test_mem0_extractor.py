"""Conversations read by mem0's own pipeline: what becomes of its facts, and of its silences."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gaia.digest.check import claims
from gaia.digest.mem0 import Mem0Extractor
from gaia.errors import ModelUnavailableError, UnusableExtractionError
from gaia.memory.extraction import Window
from gaia.testing.clock import until
from tests.harness.digests import ScriptedAsk
from tests.harness.turns import a_turn, a_window, an_offer

SAID_AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
SAID = "I'm vegetarian, and Grace is my sister. Is Rome nice?"
PORTO = an_offer(1, "Ada lives in Porto")


def window(words: str = SAID, *, so_far: str = "") -> Window:
    turn = a_turn(1, words, "Yes, Rome is nice.", said_at=SAID_AT)
    return a_window(turns=[turn], so_far=so_far)


def facts(*texts: str, by: str = "user") -> str:
    listed = [
        {"id": str(number), "text": text, "attributed_to": by} for number, text in enumerate(texts)
    ]
    return json.dumps({"memory": listed})


WindowReader = Callable[..., tuple[Mem0Extractor, ScriptedAsk]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """mem0's home."""
    return tmp_path / "mem0"


@pytest.fixture
def reading(folder: Path) -> WindowReader:
    """An extractor whose model gives these answers, and that model."""

    def build(
        *answers: str | Exception, instructions: str = ""
    ) -> tuple[Mem0Extractor, ScriptedAsk]:
        ask = ScriptedAsk(list(answers))
        return Mem0Extractor(ask, instructions, folder), ask

    return build


async def test_each_fact_gets_the_words_that_it_is_taken_from(reading: WindowReader) -> None:
    extractor, _ = reading(facts("Ada is vegetarian", "Grace is Ada's sister"))
    extracted = await extractor.extract(window(), ())
    assert [(found.text, found.quote) for found in extracted.extraction.findings] == [
        ("Ada is vegetarian", "I'm vegetarian, and Grace is my sister."),
        ("Grace is Ada's sister", "I'm vegetarian, and Grace is my sister."),
    ]
    assert extracted.usage.calls == 1
    assert len(claims(extracted.extraction, window(), ()).found) == 2


async def test_what_nobody_said_or_only_gaia_said_is_no_finding(reading: WindowReader) -> None:
    extractor, _ = reading(facts("Ada owns a boat"), facts("Rome is nice", by="assistant"))
    for _ in range(2):
        assert not (await extractor.extract(window(), ())).extraction.findings


async def test_a_fact_with_few_of_the_words_is_not_certain(reading: WindowReader) -> None:
    extractor, _ = reading(facts("Ada cooks vegetarian meals for large groups every week"))
    (found,) = (await extractor.extract(window(), ())).extraction.findings
    assert not found.is_stated


async def test_the_model_is_told_what_is_known_and_what_is_worth_it(reading: WindowReader) -> None:
    extractor, ask = reading(facts(), instructions="Only what concerns boats.")
    extracted = await extractor.extract(window(so_far="They spoke of trains."), (PORTO,))
    (asked,) = ask.asked
    assert "Ada lives in Porto" in asked.text
    assert "Only what concerns boats." in asked.text
    assert SAID in asked.text
    assert extracted.extraction.summary.startswith("They spoke of trains. / I'm vegetarian")


@pytest.mark.parametrize("answer", ["", "no json", "{}", '{"memory": [{"id": "0"}]}', "[]"])
async def test_an_answer_that_mem0_would_take_for_nothing_is_an_error(
    reading: WindowReader, answer: str
) -> None:
    extractor, _ = reading(answer)
    with pytest.raises(UnusableExtractionError) as caught:
        await extractor.extract(window(), ())
    assert "vegetarian" not in str(caught.value)
    assert (caught.value.tokens_in, caught.value.tokens_out) == (10, 5)


async def test_a_model_that_fails_fails_the_reading(reading: WindowReader) -> None:
    extractor, _ = reading(ModelUnavailableError("it is away"))
    with pytest.raises(ModelUnavailableError, match="it is away"):
        await extractor.extract(window(), ())


async def test_a_reading_that_is_given_up_gives_up_its_call(reading: WindowReader) -> None:
    extractor, ask = reading(facts())
    ask.hold()
    task = asyncio.create_task(extractor.extract(window(), ()))
    await until(lambda: ask.running == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: ask.running == 0)
    assert ask.cancelled == 1


def test_nothing_of_the_conversation_is_written_anywhere(
    reading: WindowReader, folder: Path
) -> None:
    extractor, _ = reading(facts("Ada is vegetarian"))
    asyncio.run(extractor.extract(window(), ()))
    for file in folder.rglob("*"):
        assert file.is_dir() or b"vegetarian" not in file.read_bytes()
