"""Chat Completions, read as hosts really answer it.

ADK builds the request. The answer is read here, whole or in pieces by the same code, since
what hosts send is often not what the protocol says: a part is null, missing, a list, a
number in a string, or an answer that was not asked to be streamed is.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

import httpx
import openai
from google.adk.integrations.openai import OpenAILlm
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from gaia.agent.remote.tool_calls import WrittenCalls
from gaia.agent.thoughts import KeptThoughts

DONE = "[DONE]"
THOUGHTS = ("reasoning_content", "reasoning")
"""The fields in which hosts tell what a model thinks. Some want the first one back."""
REASONS = {
    "length": types.FinishReason.MAX_TOKENS,
    "max_tokens": types.FinishReason.MAX_TOKENS,
    "content_filter": types.FinishReason.SAFETY,
}
"""Why an answer ended, where it did not simply come to its end."""


class CompletionsLlm(BaseLlm):
    """A model of a host that speaks Chat Completions."""

    _client: openai.AsyncOpenAI = PrivateAttr()
    _request: _Request = PrivateAttr()
    _thoughts: KeptThoughts[str] = PrivateAttr(default_factory=KeptThoughts)
    _wants_thoughts: bool = PrivateAttr(default=False)
    """Whether the host refuses calls of tools without the thoughts that led to them."""

    def __init__(self, model: str, client: openai.AsyncOpenAI) -> None:
        super().__init__(model=model)
        self._client = client
        self._request = _Request(model=model, client=client)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer: its pieces when it is streamed, and then all of it."""
        body = await self._request.body(llm_request)
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self._wants_thoughts:
            self._give_thoughts_back(body["messages"])
        parts = (part for content in llm_request.contents for part in content.parts or ())
        answer = _Answer({part.function_call.id for part in parts if part.function_call})
        try:
            async with self._posted(body) as response:
                async for document in _documents(response):
                    text = answer.take(document, response.request)
                    if text and stream:
                        yield _response([types.Part(text=text)], partial=True)
        except openai.BadRequestError as exc:
            if self._wants_thoughts or THOUGHTS[0] not in str(exc):
                raise
            self._wants_thoughts = True
            async for again in self.generate_content_async(llm_request, stream):
                yield again
            return
        whole = answer.whole()
        self._thoughts.keep(whole, answer.thought)
        yield whole

    @asynccontextmanager
    async def _posted(self, body: Mapping[str, Any]) -> AsyncIterator[httpx.Response]:
        """The answer, of which nothing is read yet. The SDK's `chat.completions` would import
        all that OpenAI offers, which takes most of a second and 20 MB."""
        posted = self._client.post(
            "/chat/completions",
            body=body,
            options={"security": {"bearer_auth": True}},
            cast_to=httpx.Response,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        response = cast("httpx.Response", await posted)
        try:
            yield response
        finally:
            await response.aclose()

    def _give_thoughts_back(self, messages: list[dict[str, Any]]) -> None:
        """Put them beside their calls. One that is lost may be blank, but not left out."""
        for message in messages:
            for call in message.get("tool_calls", ()):
                function = call["function"]
                arguments = json.loads(function["arguments"])
                thought = self._thoughts.before(function["name"], arguments)
                message[THOUGHTS[0]] = thought or " "


class _Request(OpenAILlm):
    """ADK's adapter, as far as the request: what it would send is what it answers with."""

    async def body(self, request: LlmRequest) -> dict[str, Any]:
        """The fields to send. No limit is set to the answer unless `request` has one."""
        has_limit = request.config.max_output_tokens is not None
        limits = () if has_limit else ("max_tokens", "max_completion_tokens")
        async with aclosing(super().generate_content_async(request, stream=True)) as asked:
            fields = (await anext(asked)).custom_metadata or {}
        return {
            name: each for name, each in fields.items() if each is not None and name not in limits
        }

    async def _generate_content_streaming(
        self, kwargs: dict[str, Any]
    ) -> AsyncGenerator[LlmResponse, None]:
        yield LlmResponse(custom_metadata=kwargs)


class _Answer:
    """Puts an answer together of its documents."""

    def __init__(self, taken_ids: set[str | None]) -> None:
        self.thought = ""
        self._text: list[str] = []
        self._calls = WrittenCalls(taken_ids)
        self._usage: types.GenerateContentResponseUsageMetadata | None = None
        self._reason: str | None = None

    def take(self, document: object, request: httpx.Request) -> str:
        """Take all of an answer or its next piece, and return the text in it.

        Raises:
            openai.APIError: It is an error.
        """
        if document == DONE:
            self._reason = self._reason or "stop"
            return ""
        if not isinstance(document, dict):
            raise TypeError("an answer is an object")
        choices = document.get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        if error := document.get("error") or choice.get("error"):
            raise openai.APIError(_message(error), request, body=error)
        self._usage = _usage(document.get("usage")) or self._usage
        self._reason = choice.get("finish_reason") or self._reason
        message = _mapping(choice.get("delta") or choice.get("message"))
        thoughts = (_text(message.get(name)) for name in THOUGHTS)
        self.thought += next(filter(None, thoughts), "")
        self._calls.take(message.get("tool_calls"))
        text = _text(message.get("content"))
        self._text.append(text)
        return text

    def whole(self) -> LlmResponse:
        """The answer, of what was taken. Calls that were cut off are left out of it."""
        text = "".join(self._text)
        reason = self._reason and REASONS.get(self._reason, types.FinishReason.STOP)
        calls = self._calls.parts(is_cut=reason is types.FinishReason.MAX_TOKENS)
        return _response(
            [*([types.Part(text=text)] if text else []), *calls],
            finish_reason=reason,
            usage_metadata=self._usage,
        )


async def _documents(response: httpx.Response) -> AsyncIterator[object]:
    """The JSON of an answer: of the events of a stream, or of its one document."""
    rest: list[str] = []
    async for line in _lines(response):
        name, _, data = line.partition(":")
        if name == "data":
            yield DONE if data.strip() == DONE else json.loads(data)
        elif name not in ("", "event", "id", "retry"):
            rest.append(line)
    if any(rest):
        yield json.loads("\n".join(rest))
        yield DONE


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """The lines of a body. Those of httpx end where JSON does not end a line as well."""
    rest = b""
    async for block in response.aiter_bytes():
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.decode().rstrip("\r")
    yield rest.decode()


def _response(parts: list[types.Part], *, partial: bool = False, **more: Any) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=parts), partial=partial, **more)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _message(error: object) -> str:
    message = _mapping(error).get("message", error)
    return message if isinstance(message, str) else json.dumps(message)


def _text(content: object) -> str:
    """The text of a message: its content, or the text parts of it."""
    if isinstance(content, list):
        return "".join(_text(_mapping(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _usage(usage: object) -> types.GenerateContentResponseUsageMetadata | None:
    counts = _mapping(usage)
    details = _mapping(counts.get("prompt_tokens_details"))
    prompt = _count(counts.get("prompt_tokens"))
    completion = _count(counts.get("completion_tokens"))
    cached = _count(details.get("cached_tokens"))
    if not prompt and not completion:
        return None
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=prompt,
        cached_content_token_count=cached or None,
        candidates_token_count=completion,
        total_token_count=prompt + completion,
    )


def _count(count: object) -> int:
    return int(count) if isinstance(count, int | float) else 0
