"""What is replayed to the model, and what the meter counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.agent.plugins import (
    WINDOW_STEP,
    Meter,
    TurnContext,
    drop_leading_fragment,
    replayed_turns,
)
from gaia.agent.prompt import is_said_by_user
from gaia.errors import ModelTimeoutError

SAID = types.UserContent("hello")
CALL = types.ModelContent(types.Part(function_call=types.FunctionCall(name="f", args={})))
RESULT = types.UserContent(
    types.Part(function_response=types.FunctionResponse(name="f", response={}))
)
ANSWER = types.ModelContent("hi")
NOBODY = cast("CallbackContext", None)


@given(st.integers(0, 10_000), st.integers(1, 200))
def test_the_window_is_replayed_and_less_than_a_step_more(earlier: int, window: int) -> None:
    turns = replayed_turns(earlier, window)
    assert window <= turns < window + WINDOW_STEP


@given(st.integers(0, 10_000), st.integers(1, 200))
def test_the_first_replayed_turn_moves_once_in_a_step(earlier: int, window: int) -> None:
    first = max(earlier - replayed_turns(earlier, window), 0)
    assert first % WINDOW_STEP == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (SAID, True),
        (RESULT, False),
        (CALL, False),
        (ANSWER, False),
        (types.Content(role="user", parts=None), True),
        (types.Content(role="user", parts=[*(SAID.parts or []), *(RESULT.parts or [])]), False),
    ],
)
def test_results_of_tools_are_not_said_by_the_user(content: types.Content, said: bool) -> None:
    assert is_said_by_user(content) is said


@pytest.mark.parametrize(
    ("contents", "kept"),
    [
        ([SAID, ANSWER], [SAID, ANSWER]),
        ([RESULT, ANSWER, SAID, ANSWER], [SAID, ANSWER]),
        ([CALL, RESULT, ANSWER, SAID, CALL, RESULT], [SAID, CALL, RESULT]),
        ([RESULT, ANSWER], [RESULT, ANSWER]),
        ([], []),
    ],
)
def test_the_rest_of_a_turn_whose_beginning_was_not_read_is_dropped(
    contents: list[types.Content], kept: list[types.Content]
) -> None:
    assert drop_leading_fragment(contents) == kept


async def test_the_context_stands_after_what_the_user_said_last_also_between_tool_calls() -> None:
    request = LlmRequest(contents=[SAID, ANSWER, SAID, CALL, RESULT])
    context = TurnContext(lambda _: "<context>")
    await context.before_model_callback(callback_context=NOBODY, llm_request=request)
    texts = [[part.text for part in content.parts or []] for content in request.contents]
    assert texts == [["hello"], ["hi"], ["hello", "<context>"], [None], [None]]
    assert [part.text for part in SAID.parts or []] == ["hello"]


async def test_the_context_is_made_once_from_what_the_first_request_holds_before() -> None:
    read: list[list[str]] = []

    def write(texts: Sequence[str]) -> str:
        read.append(list(texts))
        return f"<context> {len(read)}"

    context = TurnContext(write)
    result = types.FunctionResponse(name="look", response={"found": ["a", {"b": "c"}], "n": 1})
    told = types.Content(role="user", parts=[types.Part(function_response=result)])
    for contents in ([SAID, told, SAID], [SAID, ANSWER]):
        request = LlmRequest(contents=contents)
        await context.before_model_callback(callback_context=NOBODY, llm_request=request)
    assert read == [["hello", "a", "c"]]
    assert [part.text for part in request.contents[0].parts or []] == ["hello", "<context> 1"]


def answered(prompt: int, candidates: int, total: int, *, partial: bool = False) -> LlmResponse:
    return LlmResponse(
        partial=partial,
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=prompt, candidates_token_count=candidates, total_token_count=total
        ),
    )


async def test_the_meter_counts_calls_and_whole_answers_with_their_thoughts() -> None:
    meter = Meter()
    meter.model = "some-model"
    responses = (answered(10, 1, 11, partial=True), answered(10, 5, 22), LlmResponse())
    for response in responses:
        await meter.after_model_callback(callback_context=NOBODY, llm_response=response)
    for _ in range(2):
        await meter.before_model_callback(callback_context=NOBODY, llm_request=LlmRequest())
    used = meter.usage()
    assert (used.calls, used.tokens_in, used.tokens_out) == (2, 10, 12)
    assert (used.model, used.purpose) == ("some-model", "turn")


async def test_the_meter_counts_what_errors_tell_and_what_was_told_before_a_stop() -> None:
    meter = Meter()

    async def begin() -> None:
        await meter.before_model_callback(callback_context=NOBODY, llm_request=LlmRequest())

    await begin()
    error = ModelTimeoutError("slow")
    error.tokens_in, error.tokens_out = 10, 3
    await meter.on_model_error_callback(
        callback_context=NOBODY, llm_request=LlmRequest(), error=error
    )
    await begin()
    for tokens_out in (1, 2):
        piece = answered(100, tokens_out, 100 + tokens_out, partial=True)
        await meter.after_model_callback(callback_context=NOBODY, llm_response=piece)
    used = meter.usage()
    assert (used.calls, used.tokens_in, used.tokens_out) == (2, 110, 5)
