from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from datetime import datetime, timedelta

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.faults import GARBLED, Fault, FaultReader
from gaia.agent.health import ModelHealth
from gaia.agent.resilience import ANSWER_CHARACTERS, CUT_MARK, Patience, ResilientLlm
from gaia.errors import (
    ModelError,
    ModelFruitlessError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    StoreError,
)
from gaia.testing.clock import START, FakeClock
from gaia.testing.function_model import Answer, FunctionModel

TIMEOUT = 60.0
BUSY = ConnectionError("busy")
ASKS_TO_WAIT = ConnectionError("wait")
REFUSED = PermissionError("no")
BARE = "HTTP 1"


def read(error: Exception, now: datetime) -> Fault:
    if not isinstance(error, ConnectionError | PermissionError):
        return GARBLED
    wait = 20.0 if error is ASKS_TO_WAIT else None
    passing = isinstance(error, ConnectionError)
    return Fault(str(error), passing=passing, wait_seconds=wait, bare_cause=BARE)


class Bench:
    """A resilient model over scripted answers, on a clock that a test moves."""

    def __init__(self, *answers: Answer, inner: BaseLlm | None = None, retries: int = 2) -> None:
        script: Iterator[Answer] = iter(answers)
        self.model = FunctionModel(lambda request: next(script))
        self.clock = FakeClock()
        self.health = ModelHealth()
        self.llm = ResilientLlm(
            inner or self.model,
            reader=FaultReader(read),
            patience=Patience(TIMEOUT, retries),
            clock=self.clock,
            chance=lambda: 0.0,
            health=self.health,
        )

    async def ask(self, *, stream: bool = False) -> Sequence[str]:
        request = LlmRequest(contents=[types.Content(role="user", parts=[types.Part(text="hi")])])
        answer = self.llm.generate_content_async(request, stream)
        return [_text(response) async for response in answer]

    async def wait(self, *expected: float) -> None:
        """Let the model sleep between two tries, after a look at how long it means to."""
        for seconds in expected:
            await self.clock.until_sleeping(2)  # the deadline's watch, and the wait
            assert self.clock.sleeping[0] == seconds
            self.clock.advance(seconds)


def _text(response: LlmResponse) -> str:
    assert response.content is not None
    assert response.content.parts is not None
    return response.content.parts[0].text or ""


async def test_an_answer_passes_through() -> None:
    bench = Bench("hello", ["he", "llo"])
    assert await bench.ask() == ["hello"]
    assert await bench.ask(stream=True) == ["he", "llo", "hello"]
    assert bench.clock.sleeping == ()


async def test_waits_between_tries_double_until_it_answers() -> None:
    bench = Bench(BUSY, BUSY, BUSY, "hello", retries=3)
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.ask())
        await bench.wait(0.5, 1.0, 2.0)
    assert asked.result() == ["hello"]
    assert len(bench.model.requests) == 4


async def test_the_wait_that_the_host_asks_for_is_kept() -> None:
    bench = Bench(ASKS_TO_WAIT, "hello")
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.ask())
        await bench.wait(20.0)
    assert asked.result() == ["hello"]


async def test_it_is_unavailable_when_all_tries_fail() -> None:
    bench = Bench(BUSY, BUSY, BUSY)
    asked = asyncio.create_task(bench.ask())
    await bench.wait(0.5, 1.0)
    with pytest.raises(ModelUnavailableError, match="did not answer in 3 tries: busy") as caught:
        await asked
    assert caught.value.__cause__ is BUSY


@pytest.mark.parametrize(
    "answers", [(BUSY, BUSY, BUSY), (REFUSED,), (["he", BUSY],)], ids=["busy", "refused", "broken"]
)
async def test_the_hosts_own_words_are_in_the_error_alone(answers, caplog) -> None:
    bench = Bench(*answers)
    asked = asyncio.create_task(bench.ask(stream=True))
    await bench.wait(*[0.5, 1.0][: len(answers) - 1])
    with pytest.raises(ModelError) as caught:
        await asked
    own_words = f": {answers[-1][-1] if isinstance(answers[-1], list) else answers[-1]}"
    assert own_words in str(caught.value)
    assert caught.value.bare == str(caught.value).replace(own_words, f": {BARE}")
    assert "busy" not in caplog.text


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    bench = Bench(ASKS_TO_WAIT, ASKS_TO_WAIT, ASKS_TO_WAIT, "too late", retries=10)
    asked = asyncio.create_task(bench.ask())
    await bench.wait(20.0, 20.0)
    with pytest.raises(ModelUnavailableError, match="3 tries, and wants 20 s until the next"):
        await asked


async def test_a_refusal_is_not_asked_again() -> None:
    bench = Bench(REFUSED)
    with pytest.raises(ModelRefusedError, match="refused the request: no") as caught:
        await bench.ask()
    assert caught.value.__cause__ is REFUSED
    assert len(bench.model.requests) == 1


async def test_a_stream_that_breaks_midway_is_not_asked_again() -> None:
    bench = Bench(["he", BUSY], "never asked")
    with pytest.raises(ModelUnavailableError, match="broke off midway: busy"):
        await bench.ask(stream=True)
    assert len(bench.model.requests) == 1


async def test_a_stream_that_breaks_before_its_first_piece_is_asked_again() -> None:
    bench = Bench([BUSY], ["hello"])
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.ask(stream=True))
        await bench.wait(0.5)
    assert asked.result() == ["hello", "hello"]


async def test_whatever_is_raised_of_an_answer_is_a_garbled_one_and_logged_without_its_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench(ZeroDivisionError("the gate code"), "hello")
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(bench.ask())
        await bench.wait(0.5)
    assert asked.result() == ["hello"]
    assert "ZeroDivisionError" in caplog.text
    assert "function_model.py" in caplog.text
    assert "gate code" not in caplog.text


async def test_an_error_of_gaias_own_passes_through_as_it_is() -> None:
    bench = Bench(StoreError("the disk is full"))
    with pytest.raises(StoreError):
        await bench.ask()
    assert bench.clock.sleeping == ()


async def test_an_empty_answer_is_asked_again_once() -> None:
    assert await Bench("", "hello").ask() == ["hello"]
    bench = Bench("", " ", "too late")
    with pytest.raises(ModelFruitlessError, match="the answer was empty"):
        await bench.ask()
    assert bench.clock.sleeping == ()


async def test_thoughts_without_a_tag_are_shown_of_the_first_answer_at_most() -> None:
    bench = Bench(["a thou", "ght</think>", "hello"], ["a th", "ought</thi", "nk>hel", "lo"])
    assert await bench.ask(stream=True) == ["a thou", "ght</think>", "hello", "hello"]
    assert await bench.ask(stream=True) == ["hel", "lo", "hello"]


class Silent(BaseLlm):
    """Never comes to an end; `closed` tells that its call was ended."""

    model: str = "silent"
    speaks: bool = False
    """Whether it says one piece first."""
    failures: int = 0
    """How many calls fail at once instead."""
    closed: bool = False

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        if self.failures:
            self.failures -= 1
            raise BUSY
        try:
            if self.speaks:
                content = types.Content(role="model", parts=[types.Part(text="he")])
                yield LlmResponse(content=content, partial=True)
            await asyncio.get_running_loop().create_future()
        finally:
            self.closed = True


@pytest.mark.parametrize("speaks", [False, True])
async def test_the_deadline_bounds_the_whole_call(speaks: bool) -> None:
    silent = Silent(speaks=speaks)
    bench = Bench(inner=silent)
    asked = asyncio.create_task(bench.ask(stream=True))
    await bench.clock.until_sleeping()
    bench.clock.advance(TIMEOUT)
    with pytest.raises(ModelTimeoutError, match="'silent' took longer than 60 s"):
        await asked
    assert silent.closed


async def test_the_deadline_bounds_all_tries_together() -> None:
    bench = Bench(inner=Silent(failures=1))
    asked = asyncio.create_task(bench.ask())
    await bench.wait(0.5)
    bench.clock.advance(TIMEOUT - 0.5)
    with pytest.raises(ModelTimeoutError):
        await asked


async def test_cancellation_ends_the_call_and_leaves_nothing_behind() -> None:
    silent = Silent()
    bench = Bench(inner=silent)
    asked = asyncio.create_task(bench.ask())
    await bench.clock.until_sleeping()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert silent.closed
    assert bench.clock.sleeping == ()
    assert bench.health.report().ok


async def test_a_reader_that_leaves_early_ends_the_call() -> None:
    silent = Silent(speaks=True)
    bench = Bench(inner=silent)
    answer = bench.llm.generate_content_async(LlmRequest(), True)
    assert _text(await anext(answer)) == "he"
    await answer.aclose()
    assert silent.closed
    assert bench.clock.sleeping == ()


async def test_health_follows_the_latest_call() -> None:
    bench = Bench("hello", REFUSED, "hello")
    assert bench.health.report().ok
    await bench.ask()
    bench.clock.advance(1)
    with pytest.raises(ModelRefusedError):
        await bench.ask()
    report = bench.health.report()
    assert not report.ok
    assert "refused the request: no" in report.detail
    await bench.ask()
    assert bench.health.report().ok
    assert bench.health.last_error == START + timedelta(seconds=1)


def test_waits_are_spread_by_chance_and_bounded() -> None:
    patience = Patience(TIMEOUT, retries=10)
    assert patience.wait_seconds(0, 0.0) == 0.5
    assert patience.wait_seconds(0, 0.999) == pytest.approx(1.0, abs=0.01)
    assert patience.wait_seconds(10, 0.0) == 15.0


async def test_a_stream_that_goes_on_and_on_is_cut_off() -> None:
    piece = "word " * 20_000
    bench = Bench([piece] * 1000)
    *pieces, whole = await bench.ask(stream=True)
    assert "".join(pieces).startswith(whole.removesuffix(CUT_MARK).rstrip())
    assert len(pieces) == ANSWER_CHARACTERS // len(piece) + 1
    assert whole.endswith(CUT_MARK)
    assert len(whole) <= ANSWER_CHARACTERS + len(CUT_MARK) + 1


async def test_an_answer_as_long_as_a_book_is_cut_off() -> None:
    bench = Bench("x" * (ANSWER_CHARACTERS + 1))
    (whole,) = await bench.ask()
    assert whole == f"{'x' * ANSWER_CHARACTERS} {CUT_MARK}"
