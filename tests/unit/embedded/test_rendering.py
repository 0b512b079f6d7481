"""Requests as chat messages, what is dropped of a long history, and the leaning to calls."""

from collections.abc import Sequence

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.agent.embedded.leaning import BIASES, call_bias, may_call
from gaia.agent.embedded.rendering import Message, Prompt, Turn, render, trim


def said(*texts: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text) for text in texts])


def answered(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


def called(name: str, **args: object) -> types.Content:
    call = types.FunctionCall(name=name, args=args)
    return types.Content(role="model", parts=[types.Part(function_call=call)])


def returned(name: str, **response: object) -> types.Content:
    result = types.FunctionResponse(name=name, response=response)
    return types.Content(role="user", parts=[types.Part(function_response=result)])


def rendered(*contents: types.Content) -> Prompt:
    config = types.GenerateContentConfig(system_instruction="Be kind.")
    return render(LlmRequest(contents=list(contents), config=config), ())


def test_a_tool_call_and_its_result_belong_to_the_turn_that_asked() -> None:
    prompt = rendered(
        said("Hello"),
        answered("Hi!"),
        said("2+2?"),
        called("calculate", expression="2+2"),
        returned("calculate", result="4"),
        answered("Four."),
    )

    assert prompt.system == Message("system", "Be kind.")
    assert prompt.turns == (
        (Message("user", "Hello"), Message("assistant", "Hi!")),
        (
            Message("user", "2+2?"),
            Message("assistant", '@calculate {"expression":"2+2"}'),
            Message("system", "@calculate 4"),
            Message("assistant", "Four."),
        ),
    )


def test_the_context_of_a_turn_is_a_message_before_what_was_said() -> None:
    [turn] = rendered(said("Hello", "<context>\nNow: noon\n</context>")).turns

    assert turn == (
        Message("system", "<context>\nNow: noon\n</context>"),
        Message("user", "Hello"),
    )


def test_the_rest_of_a_prompt_is_the_same_with_and_without_a_context() -> None:
    with_context = rendered(said("Hello", "<context>x</context>"), answered("Hi")).messages
    without = rendered(said("Hello"), answered("Hi")).messages

    assert tuple(one for one in with_context if "<context>" not in one.content) == without


def test_a_file_leaves_a_note_that_it_was_there() -> None:
    photo = types.Part(inline_data=types.Blob(data=b"x", mime_type="image/png"))
    content = types.Content(role="user", parts=[types.Part(text="Look!"), photo])

    assert rendered(content).turns == (
        (Message("user", "Look!\n[a file, which you cannot read]"),),
    )


@pytest.mark.parametrize("content", [said("a<|im_end|>b"), returned("web", text="a<|im_end|>b")])
def test_control_tokens_in_foreign_text_are_broken_up(content: types.Content) -> None:
    [turn] = rendered(content).turns

    assert "<|im_end|>" not in turn[0].content


def size(messages: Sequence[Message]) -> int:
    return sum(int(message.content) for message in messages)


def history(sizes: Sequence[int]) -> Prompt:
    turns: list[Turn] = [(Message("user", str(one)),) for one in sizes]
    return Prompt(Message("system", "10"), tuple(turns))


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60))
def test_a_trimmed_prompt_fits_and_ends_with_the_last_turn(sizes: list[int]) -> None:
    prompt = history(sizes)
    fitting = trim(prompt, 100, size)

    assert size(fitting.messages) <= 100
    assert fitting.turns == prompt.turns[-len(fitting.turns) :]


@given(st.lists(st.integers(1, 20), min_size=2, max_size=60))
def test_a_growing_history_keeps_its_beginning_or_falls_to_half(sizes: list[int]) -> None:
    before = trim(history(sizes[:-1]), 100, size)
    after = trim(history(sizes), 100, size)

    grown = after.turns[: len(before.turns)] == before.turns
    assert grown or size([message for turn in after.turns for message in turn]) <= 90 // 2


def test_a_last_turn_that_does_not_fit_stays_alone() -> None:
    assert trim(history([5, 5, 500]), 100, size).turns == history([500]).turns


WORDS = [said("Hello"), answered("Hi!")]
TOOL = [said("2+2?"), called("calculate"), returned("calculate", result="4"), answered("Four.")]


@pytest.mark.parametrize(
    ("earlier", "bias"),
    [
        ([], BIASES[0]),
        (WORDS, BIASES[1]),
        (WORDS * 2, BIASES[2]),
        (WORDS * 9, BIASES[-1]),
        (WORDS + TOOL, BIASES[0]),
        (TOOL + WORDS, BIASES[1]),
    ],
)
def test_turns_in_words_are_made_up_for(earlier: list[types.Content], bias: float) -> None:
    assert call_bias(rendered(*earlier, said("And 3+3?"))) == bias


def test_nothing_leans_to_another_call_once_a_result_is_there() -> None:
    assert call_bias(rendered(said("2+2?"), called("calculate"), returned("calculate", r=4))) == 0


def test_a_turn_has_two_calls_at_most() -> None:
    one = [called("remember", text="tea"), returned("remember", kept=True)]
    assert may_call(rendered(*one, said("I like tea")))
    assert may_call(rendered(said("I like tea"), *one))
    assert not may_call(rendered(said("I like tea"), *one, *one))
    assert may_call(rendered(said("I like tea"), *one, *one, answered("Noted."), said("And 2+2?")))
