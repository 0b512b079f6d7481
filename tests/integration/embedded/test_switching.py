"""A conversation that another provider's model began goes on with the embedded one."""

from __future__ import annotations

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.agent.prompt import plain

from .conftest import Opener

THOUGHT = types.Part(text="Let me see.", thought=True)
BEGINNINGS = {
    "gemini": [THOUGHT, types.Part(text="It rains.", thought_signature=b"\xff\x00")],
    "openai chat": [types.Part(text="It rains.")],
    "openai responses": [types.Part(thought=True, thought_signature=b"sealed"), THOUGHT],
    "anthropic": [THOUGHT.model_copy(update={"thought_signature": b"x"}), types.Part(text="Rain.")],
}


def call(call_id: str | None) -> types.Content:
    asked = types.FunctionCall(id=call_id, name="tell_weather", args={"city": "Oslo"})
    return types.Content(role="model", parts=[THOUGHT, types.Part(function_call=asked)])


def result(call_id: str | None) -> types.Content:
    told = types.FunctionResponse(id=call_id, name="tell_weather", response={"weather": "rain"})
    return types.Content(role="user", parts=[types.Part(function_response=told)])


@pytest.mark.parametrize("before", BEGINNINGS)
async def test_a_conversation_goes_on_with_the_embedded_model(
    open_llm: Opener, before: str
) -> None:
    contents = [
        types.UserContent("How is the weather in Oslo?"),
        call(None if before == "gemini" else "call_1"),
        result(None if before == "gemini" else "call_1"),
        types.Content(role="model", parts=BEGINNINGS[before]),
        types.UserContent("Thank you. Say hello."),
    ]
    request = LlmRequest(model="m", contents=plain(contents, keeps_thoughts=False))
    said = ""
    async for answer in open_llm().generate_content_async(request):
        assert answer.error_code is None
        said += "".join(part.text or "" for part in (answer.content or contents[0]).parts or [])
    assert said
    assert "Let me see" not in str(request.contents)
