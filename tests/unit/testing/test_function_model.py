from __future__ import annotations

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.testing.function_model import Answer, FunctionModel, ToolCall, last_user_text


def request(*said: str) -> LlmRequest:
    parts = [types.Part(text=text) for text in said]
    return LlmRequest(contents=[types.Content(role="user", parts=parts)])


async def pieces(answer: Answer, *, stream: bool) -> list[tuple[str | None, bool]]:
    """Each response's text (or tool's name), and whether it is a preview."""
    model = FunctionModel(lambda asked: answer)
    told: list[tuple[str | None, bool]] = []
    async for response in model.generate_content_async(request("hi"), stream):
        assert response.content is not None
        assert response.content.parts is not None
        part = response.content.parts[0]
        name = part.function_call.name if part.function_call else part.text
        told.append((name, bool(response.partial)))
    return told


async def test_a_text_comes_whole_and_in_a_stream_first_as_a_preview() -> None:
    assert await pieces("hello", stream=False) == [("hello", False)]
    assert await pieces("hello", stream=True) == [("hello", True), ("hello", False)]


async def test_pieces_are_previews_of_the_whole() -> None:
    assert await pieces(["he", "llo"], stream=False) == [("hello", False)]
    assert await pieces(["he", "llo"], stream=True) == [
        ("he", True),
        ("llo", True),
        ("hello", False),
    ]


async def test_a_tool_is_called() -> None:
    assert await pieces(ToolCall("clock"), stream=True) == [("clock", False)]


@pytest.mark.parametrize("answer", [ConnectionError("down"), ["he", ConnectionError("down")]])
async def test_an_error_is_raised(answer: Answer) -> None:
    with pytest.raises(ConnectionError, match="down"):
        await pieces(answer, stream=True)


async def test_requests_are_kept_as_they_arrived() -> None:
    model = FunctionModel(last_user_text)
    asked = request("first", "<context>\nnoon\n</context>")
    (answer,) = [response async for response in model.generate_content_async(asked)]
    asked.contents.append(types.Content(role="model", parts=[types.Part(text="later")]))
    assert answer.content is not None
    assert answer.content.parts == [types.Part(text="first")]
    assert [len(kept.contents) for kept in model.requests] == [1]


def test_the_last_user_text_is_found_behind_a_tools_result() -> None:
    asked = request("how late is it")
    result = types.FunctionResponse(name="clock", response={"time": 12})
    asked.contents.append(types.Content(role="user", parts=[types.Part(function_response=result)]))
    assert last_user_text(asked) == "how late is it"
    assert last_user_text(LlmRequest()) == ""
