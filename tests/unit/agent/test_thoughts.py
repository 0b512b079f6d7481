from __future__ import annotations

import pytest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.agent.responses import KeptThoughts, Speech, unopened_thought


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
