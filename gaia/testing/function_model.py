"""A model that is a function: from a request to the answer a test wants; and what the user said
in it, without what gaia adds."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import JsonValue, PrivateAttr

_CONTEXT_BLOCK = re.compile(r"(?:\A|\n)<context>\n.*</context>\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants a tool to be called."""

    name: str
    args: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The model wants several tools to be called at once."""

    calls: Sequence[ToolCall]


Answer = str | ToolCall | ToolCalls | Exception | Sequence[str | Exception]
"""A text, tool calls, an error, or the pieces of a streamed text; an error
among the pieces is a stream that breaks there."""


class FunctionModel(BaseLlm):
    """Answers each request with what `answer` returns for it.

    `requests` holds the requests in order, as they were when they arrived.
    """

    _answer: Callable[[LlmRequest], Answer] = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    def __init__(self, answer: Callable[[LlmRequest], Answer], *, model: str = "function") -> None:
        super().__init__(model=model)
        self._answer = answer

    @property
    def requests(self) -> Sequence[LlmRequest]:
        return self._requests

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self._requests.append(
            llm_request.model_copy(update={"contents": list(llm_request.contents)})
        )
        answer = self._answer(llm_request)
        match answer:
            case Exception():
                raise answer
            case ToolCall():
                yield _whole(_call(answer))
            case ToolCalls():
                yield _whole(*map(_call, answer.calls))
            case str():
                if stream:
                    yield _piece(answer)
                yield _whole(types.Part(text=answer))
            case _:
                said = ""
                for piece in answer:
                    if isinstance(piece, Exception):
                        raise piece
                    said += piece
                    if stream:
                        yield _piece(piece)
                yield _whole(types.Part(text=said))


def last_user_text(request: LlmRequest) -> str:
    """Return what the user said last, without gaia's context block."""
    for content in reversed(request.contents):
        texts = [part.text for part in content.parts or [] if part.text]
        if content.role == "user" and texts:
            return user_text("\n".join(texts))
    return ""


def user_text(text: str) -> str:
    """Return what the user wrote: `text` without the fenced block that gaia
    appends (time, due items, memories), trimmed."""
    return _CONTEXT_BLOCK.sub("", text).strip()


def _piece(text: str) -> LlmResponse:
    content = types.Content(role="model", parts=[types.Part(text=text)])
    return LlmResponse(content=content, partial=True)


def _call(call: ToolCall) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=call.name, args=dict(call.args)))


def _whole(*parts: types.Part) -> LlmResponse:
    return LlmResponse(
        content=types.Content(role="model", parts=list(parts)),
        finish_reason=types.FinishReason.STOP,
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5, total_token_count=15
        ),
    )
