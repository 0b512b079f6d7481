"""Chat Completions over plain HTTP, since OpenAI's client takes 19 MB and half a second of a
start. The answer is read whole or in pieces by the same code, since what hosts send is often
not what the protocol says: a part is null, missing, a list, a number in a string, or an
answer that was not asked to be streamed is.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import httpx
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from gaia.agent.adaptations import JSON_TYPE, BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.faults import FaultReader
from gaia.agent.remote.body_bound import UNCOMPRESSED
from gaia.agent.remote.errors import HostError, HostErrors, read_status, refuse_errors, sdk_reader
from gaia.agent.remote.tool_calls import WrittenCalls
from gaia.agent.responses import KeptThoughts
from gaia.bounded_http import authorities
from gaia.settings.providers import ResolvedModel

DONE = "[DONE]"
THOUGHTS = ("reasoning_content", "reasoning")
"""The fields in which hosts tell what a model thinks. Some want the first one back."""
REASONS = {
    "length": types.FinishReason.MAX_TOKENS,
    "max_tokens": types.FinishReason.MAX_TOKENS,
    "content_filter": types.FinishReason.SAFETY,
}
"""Why an answer ended, where it did not simply come to its end."""
_OTHER_LIMIT = re.compile(r"(?:^|/)(?:o\d|gpt-[5-9](?!.*-chat))", re.IGNORECASE)
"""OpenAI's models that think refuse `max_tokens`, also behind other hosts."""
IDLE_SECONDS = 4.0
"""How long a connection is kept for the next request. Many hosts, uvicorn's, Node's and
llama.cpp's, close one that was idle for five: a request at that moment would meet it."""
READER = FaultReader(sdk_reader("openai", HostErrors, httpx.HTTPError))


def connect(resolved: ResolvedModel) -> Connection:
    """Open a client that takes its host from the settings alone and leaves retries to us."""
    body = BodyFilter()
    key = resolved.api_key.get_secret_value() if resolved.api_key else ""
    client = open_client(resolved.base_url, key, body)

    async def names() -> Sequence[str]:
        listed = _mapping((await client.get("models")).json()).get("data") or []
        named = (_mapping(model).get("id") for model in listed)
        return [name for name in named if isinstance(name, str)]

    llm = CompletionsLlm(resolved.name, client)
    return Connection(llm, READER, client.aclose, names=names, body=body)


def open_client(
    base_url: str, key: str, *on_request: BodyFilter, trust_env: bool = True
) -> httpx.AsyncClient:
    """A client of a host, for as long as an answer takes. It raises errors as `HostError`."""
    return httpx.AsyncClient(
        base_url=base_url,
        headers=UNCOMPRESSED | ({"authorization": f"Bearer {key}"} if key else {}),
        event_hooks={"request": [*on_request], "response": [read_status, refuse_errors]},
        follow_redirects=True,
        limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS),
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        trust_env=trust_env,
        verify=authorities(),
    )


class CompletionsLlm(BaseLlm):
    """A model of a host that speaks Chat Completions."""

    _client: httpx.AsyncClient = PrivateAttr()
    _thoughts: KeptThoughts[str] = PrivateAttr(default_factory=KeptThoughts)
    _wants_thoughts: bool = PrivateAttr(default=False)
    """Whether the host refuses calls of tools without the thoughts that led to them."""

    def __init__(self, model: str, client: httpx.AsyncClient) -> None:
        super().__init__(model=model)
        self._client = client

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer: its pieces when it is streamed, and then all of it.

        Raises:
            HostError: The host answered with an error.
            httpx.HTTPError: It did not answer.
        """
        body = _body(self.model, llm_request)
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self._wants_thoughts:
            self._give_thoughts_back(body["messages"])
        parts = (part for content in llm_request.contents for part in content.parts or ())
        answer = _Answer({part.function_call.id for part in parts if part.function_call})
        try:
            async with self._client.stream("POST", "chat/completions", json=body) as response:
                async for document in _documents(response):
                    text = answer.take(document, response)
                    if text and stream:
                        yield _response([types.Part(text=text)], partial=True)
        except HostError as exc:
            is_refused = exc.status_code == HTTPStatus.BAD_REQUEST
            if self._wants_thoughts or not is_refused or THOUGHTS[0] not in exc.message:
                raise
            self._wants_thoughts = True
            async for again in self.generate_content_async(llm_request, stream):
                yield again
            return
        whole = answer.whole()
        self._thoughts.keep(whole, answer.thought)
        yield whole

    def _give_thoughts_back(self, messages: list[dict[str, Any]]) -> None:
        """Put them beside their calls. One that is lost may be blank, but not left out."""
        for message in messages:
            for call in message.get("tool_calls", ()):
                function = call["function"]
                arguments = json.loads(function["arguments"])
                thought = self._thoughts.before(function["name"], arguments)
                message[THOUGHTS[0]] = thought or " "


def _body(model: str, request: LlmRequest) -> dict[str, Any]:
    """The fields to send. No limit is set to the answer unless `request` has one."""
    config = request.config
    tools = [tool for tool in config.tools or () if isinstance(tool, types.Tool)]
    functions = [_tool(each) for tool in tools for each in tool.function_declarations or ()]
    messages = [message for content in request.contents for message in _messages(content)]
    if config.system_instruction:
        messages.insert(0, {"role": "system", "content": config.system_instruction})
    fields = {
        "model": model,
        "messages": messages,
        "tools": functions or None,
        "tool_choice": "auto" if functions else None,
        "response_format": _format(config),
        "temperature": config.temperature,
    }
    limit = "max_completion_tokens" if _OTHER_LIMIT.search(model) else "max_tokens"
    fields[limit] = config.max_output_tokens
    return {name: field for name, field in fields.items() if field is not None}


def _messages(content: types.Content) -> Iterator[dict[str, Any]]:
    """The results of tools, each a message of its own, and then what is said and called."""
    said: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for part in content.parts or ():
        if call := part.function_call:
            function = {"name": call.name, "arguments": json.dumps(call.args or {})}
            calls.append({"id": call.id or "", "type": "function", "function": function})
        elif result := part.function_response:
            known = {"role": "tool", "tool_call_id": result.id or ""}
            yield {**known, "content": json.dumps(result.response or {})}
        elif file := part.inline_data:
            url = f"data:{file.mime_type};base64,{b64encode(file.data or b'').decode()}"
            said.append({"type": "image_url", "image_url": {"url": url}})
        elif part.text and not part.thought:
            said.append({"type": "text", "text": part.text})
    has_files = any("text" not in each for each in said)
    told = said if has_files else "\n".join(each["text"] for each in said)
    fields = {"content": told, "tool_calls": calls}
    if said or calls:
        role = "assistant" if content.role == "model" else "user"
        yield {"role": role, **{name: field for name, field in fields.items() if field}}


def _tool(function: types.FunctionDeclaration) -> dict[str, Any]:
    parameters = function.parameters_json_schema or {"type": "object", "properties": {}}
    told = {"name": function.name, "description": function.description or ""}
    return {"type": "function", "function": {**told, "parameters": parameters}}


def _format(config: types.GenerateContentConfig) -> dict[str, Any] | None:
    schema = config.response_schema
    if isinstance(schema, dict):
        shape = {"name": str(schema.get("title", "response")), "strict": True}
        return {"type": "json_schema", "json_schema": {**shape, "schema": _strict(schema)}}
    return {"type": "json_object"} if config.response_mime_type == JSON_TYPE else None


def _strict(schema: Any) -> Any:
    """A JSON schema as strict hosts want it: every field is required, and no other allowed."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    strict = {name: _strict(part) for name, part in schema.items()}
    if strict.get("type") == "object" and "properties" in strict:
        strict |= {"additionalProperties": False, "required": sorted(strict["properties"])}
    return strict


class _Answer:
    """Puts an answer together of its documents."""

    def __init__(self, taken_ids: set[str | None]) -> None:
        self.thought = ""
        self._text: list[str] = []
        self._calls = WrittenCalls(taken_ids)
        self._usage: types.GenerateContentResponseUsageMetadata | None = None
        self._reason: str | None = None

    def take(self, document: object, response: httpx.Response) -> str:
        """Take all of an answer or its next piece, and return the text in it.

        Raises:
            HostError: It is an error.
        """
        if document == DONE:
            self._reason = self._reason or "stop"
            return ""
        if not isinstance(document, dict):
            raise TypeError("an answer is an object")
        choices = document.get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        if error := document.get("error") or choice.get("error"):
            raise HostError(response, error)
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
