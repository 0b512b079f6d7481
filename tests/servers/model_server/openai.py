"""The OpenAI protocol: Chat Completions, streamed and not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field, JsonValue

from tests.servers.model_server.conversation import Answer, Asked, Message, usage_of
from tests.servers.model_server.protocol import Headers, Json, retry_header

ANSWER_ID = "chatcmpl-scripted"
CALL_ID = "call_scripted"
CREATED = 1_767_268_800
"""2026-01-01T12:00:00Z; nobody reads it, but the protocol wants a time."""

ERROR_TYPES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


class _Function(BaseModel):
    name: str


class _ToolCall(BaseModel):
    id: str
    function: _Function


class _Tool(BaseModel):
    function: _Function


class _TextPart(BaseModel):
    text: str = ""


class _ChatMessage(BaseModel):
    role: str
    content: str | list[_TextPart] | None = None
    tool_calls: list[_ToolCall] = Field(default_factory=list)
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class _Schema(BaseModel):
    schema_: dict[str, JsonValue] = Field(alias="schema")


class _Format(BaseModel):
    json_schema: _Schema | None = None


class _Request(BaseModel):
    model: str
    messages: list[_ChatMessage]
    tools: list[_Tool] | None = None
    stream: bool = False
    response_format: _Format | None = None

    @property
    def shape(self) -> dict[str, JsonValue] | None:
        wanted = self.response_format and self.response_format.json_schema
        return wanted.schema_ if wanted else None


class OpenAIProtocol:
    """OpenAI's Chat Completions API."""

    name = "openai"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def read(self, body: bytes, *, path: str) -> Asked:
        request = _Request.model_validate_json(body)
        return Asked(
            model=request.model,
            stream=request.stream,
            system="\n".join(m.text for m in request.messages if m.role == "system"),
            messages=_history(request.messages),
            tools=tuple(tool.function.name for tool in request.tools or []),
            shape=request.shape,
        )

    def whole(self, asked: Asked, answer: Answer) -> Json:
        message: Json = {"role": "assistant", "content": answer.text or None}
        if answer.call is not None:
            message["tool_calls"] = [_call(answer)]
        choice: Json = {"index": 0, "message": message, "finish_reason": _reason(answer)}
        return {
            **_head(asked, "chat.completion"),
            "choices": [choice],
            "usage": _usage(asked, answer),
        }

    def events(self, asked: Asked, answer: Answer) -> Sequence[str]:
        deltas: list[Json] = [{"content": piece} for piece in answer.pieces()]
        if answer.call is not None:
            deltas.append({"tool_calls": [{"index": 0, **_call(answer)}]})
        choices: list[Json] = [
            {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
        ]
        choices.append({"index": 0, "delta": {}, "finish_reason": _reason(answer)})
        head = _head(asked, "chat.completion.chunk")
        chunks: list[Json] = [{**head, "choices": [choice]} for choice in choices]
        chunks.append({**head, "choices": [], "usage": _usage(asked, answer)})
        return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]

    def error(self, status: int, message: str, *, retry_after: str) -> tuple[Json, Headers]:
        code = ERROR_TYPES.get(status)
        error: Json = {"message": message, "type": code, "param": None, "code": code}
        return {"error": error}, retry_header(retry_after)


def _history(messages: Sequence[_ChatMessage]) -> tuple[Message, ...]:
    """The conversation; a tool's result gets its tool's name from the call that asked for it."""
    names = {call.id: call.function.name for m in messages for call in m.tool_calls}
    history: list[Message] = []
    for message in messages:
        match message.role:
            case "user":
                history.append(Message("user", message.text))
            case "tool":
                name = names.get(message.tool_call_id, "")
                history.append(Message("tool", message.text, name=name))
            case "assistant":
                history.append(Message("model", message.text))
    return tuple(history)


def _head(asked: Asked, kind: str) -> Json:
    return {"id": ANSWER_ID, "object": kind, "created": CREATED, "model": asked.model}


def _call(answer: Answer) -> Json:
    if answer.call is None:
        return {}
    function: Json = {"name": answer.call.name, "arguments": json.dumps(dict(answer.call.args))}
    return {"id": CALL_ID, "type": "function", "function": function}


def _reason(answer: Answer) -> JsonValue:
    if answer.blocked:
        return "content_filter"
    if answer.cut:
        return "length"
    return "tool_calls" if answer.call is not None else "stop"


def _usage(asked: Asked, answer: Answer) -> Json:
    usage = usage_of(asked, answer)
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
    }
