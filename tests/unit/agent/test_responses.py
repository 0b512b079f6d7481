"""What a model says is told from what it thinks, and tokens are counted as providers tell them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from pydantic import PrivateAttr

from gaia.agent.faults import Fault, FaultReader
from gaia.agent.health import Calls, Latency, ModelHealth
from gaia.agent.resilience import Patience, ResilientLlm
from gaia.agent.responses import KeptThoughts, Speech, unopened_thought, used_tokens
from gaia.errors import ModelRefusedError, ModelUnavailableError
from gaia.testing.clock import START, FakeClock


def heard(*pieces: str, begins_with_thought: bool = False) -> str:
    speech = Speech(begins_with_thought=begins_with_thought)
    return "".join(speech.take(piece) for piece in pieces)


@given(
    st.integers(1, 60), st.sampled_from(["<think>", "[THINK]", "<|channel>thought", "<mm:think>"])
)
def test_it_makes_no_difference_where_an_answer_is_cut_into_pieces(size: int, tag: str) -> None:
    end = {"[THINK]": "[/THINK]", "<|channel>thought": "<channel|>", "<mm:think>": "</mm:think>"}
    text = f"\n{tag}a long secret{end.get(tag, '</think>')}\n\nHello <think> there!"
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert heard(*pieces).strip() == "Hello <think> there!"


@given(st.text())
def test_what_begins_with_a_word_is_said_as_it_comes(text: str) -> None:
    assert heard("Hello ", text) == f"Hello {text}"


def test_a_thought_may_begin_without_a_tag() -> None:
    assert heard("a sec", "ret</thi", "nk>Hello", begins_with_thought=True) == "Hello"


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("a secret</think>Hello", "a secret</think>"),
        ("`</think>` ends it", ""),
        ("<think>a</think> b", ""),
        ("none", ""),
    ],
)
def test_a_closing_tag_alone_ends_a_thought_unless_it_is_code(text: str, thought: str) -> None:
    assert unopened_thought(text) == thought


def test_thoughts_are_known_by_the_calls_that_they_led_to_and_only_the_last_ones() -> None:
    kept = KeptThoughts[str]()
    for number in range(101):
        part = types.Part.from_function_call(name="count", args={"to": number})
        content = types.Content(role="model", parts=[part])
        kept.keep(LlmResponse(content=content), f"thought {number}")
    assert kept.before("count", {"to": 100}) == "thought 100"
    assert kept.before("count", {"to": 0}) is None


BUSY = ConnectionError("busy")


def told(
    tokens_in: int, tokens_out: int, *, partial: bool = False, code: str | None = None
) -> LlmResponse:
    reason = None if partial or code else types.FinishReason.STOP
    return LlmResponse(
        content=types.ModelContent("hi"),
        partial=partial,
        error_code=code,
        finish_reason=reason,
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=tokens_in, total_token_count=tokens_in + tokens_out
        ),
    )


class Telling(BaseLlm):
    """Answers each call with the next of the scripts; each response takes two seconds."""

    _scripts: Iterator[Sequence[LlmResponse | Exception]] = PrivateAttr()
    _clock: FakeClock = PrivateAttr()

    def __init__(self, clock: FakeClock, *scripts: Sequence[LlmResponse | Exception]) -> None:
        super().__init__(model="telling")
        self._scripts = iter(scripts)
        self._clock = clock

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        for each in next(self._scripts):
            self._clock.advance(2)
            if isinstance(each, Exception):
                raise each
            yield each


class Bench:
    def __init__(
        self, *scripts: Sequence[LlmResponse | Exception], waits: bool = True, retries: int = 2
    ) -> None:
        self.clock = FakeClock()
        self.health = ModelHealth()
        self.llm = ResilientLlm(
            Telling(self.clock, *scripts),
            reader=FaultReader(lambda error, _: Fault(str(error), True)),
            patience=Patience(60.0, retries),
            clock=self.clock,
            chance=lambda: 0.0,
            health=self.health,
            waits=waits,
        )

    async def ask(self, *, stream: bool = False) -> LlmResponse:
        """The last response; all waits between tries are over at once."""
        asked = asyncio.create_task(self._asked(stream))
        while not asked.done():
            if len(self.clock.sleeping) == 2:
                self.clock.advance(self.clock.sleeping[0])
            await asyncio.sleep(0)
        return asked.result()

    async def _asked(self, stream: bool) -> LlmResponse:
        responses = [each async for each in self.llm.generate_content_async(LlmRequest(), stream)]
        return responses[-1]


async def test_a_try_that_was_paid_in_vain_is_counted_with_the_answer() -> None:
    garbled = told(10, 3, code="MALFORMED_FUNCTION_CALL")
    bench = Bench([garbled], [BUSY], [told(10, 5)])
    assert used_tokens(await bench.ask()) == (20, 8)


async def test_the_pieces_of_an_answer_are_not_added_up() -> None:
    bench = Bench([told(10, 1, partial=True), told(10, 4, partial=True), told(10, 5)])
    assert used_tokens(await bench.ask(stream=True)) == (10, 5)


async def test_an_error_knows_what_all_its_tries_have_cost() -> None:
    garbled = told(10, 3, code="MALFORMED_FUNCTION_CALL")
    bench = Bench([garbled], [told(10, 2, partial=True), BUSY])
    with pytest.raises(ModelUnavailableError, match="broke off midway") as caught:
        await bench.ask(stream=True)
    assert (caught.value.tokens_in, caught.value.tokens_out) == (20, 5)


async def test_a_refusal_that_was_paid_is_counted() -> None:
    bench = Bench([told(10, 0, code="SAFETY")])
    with pytest.raises(ModelRefusedError) as caught:
        await bench.ask()
    assert caught.value.tokens_in == 10


async def test_a_call_is_timed_from_its_first_try_to_its_end() -> None:
    bench = Bench([BUSY], [told(1, 1, partial=True), told(1, 1)])
    await bench.ask(stream=True)
    # Two seconds to fail, half a one to wait, two for each piece.
    assert bench.health.latency == Latency(6.5, 6.5, 6.5)
    assert bench.health.calls_on(START) == Calls(1, 0)


async def test_what_nobody_waits_for_is_counted_and_not_timed() -> None:
    bench = Bench([told(1, 1)], [BUSY], waits=False, retries=0)
    await bench.ask()
    with pytest.raises(ModelUnavailableError):
        await bench.ask()
    assert bench.health.calls == Calls(2, 1)
    assert bench.health.latency is None
