"""The Anthropic protocol: Messages, streamed and not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from tests.servers.model_server.conversation import Answer, Asked, Message, usage_of
from tests.servers.model_server.protocol import Headers, Json, retry_header
from tests.servers.model_server.script import ScriptedCall

ANSWER_ID = "msg_scripted"
CALL_ID = "toolu_scripted"

ERROR_TYPES = {
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


_ARGS = TypeAdapter(Json)


class _Block(BaseModel):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    content: str | list[_Block] = ""

    @property
    def said(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(block.text for block in self.content)
        return self.content


class _Turn(BaseModel):
    role: Literal["user", "assistant"]
    content: str | list[_Block]

    @property
    def blocks(self) -> list[_Block]:
        if isinstance(self.content, list):
            return self.content
        return [_Block(type="text", text=self.content)]


class _Tool(BaseModel):
    name: str
    input_schema: dict[str, JsonValue] = Field(default_factory=dict)


class _Choice(BaseModel):
    type: str
    name: str = ""


class _Request(BaseModel):
    model: str
    messages: list[_Turn]
    system: str | list[_Block] = ""
    tools: list[_Tool] = Field(default_factory=list)
    tool_choice: _Choice | None = None
    stream: bool = False

    @property
    def shape(self) -> dict[str, JsonValue] | None:
        """The input of a tool that must be called: there is no other way to ask for one."""
        forced = self.tool_choice.name if self.tool_choice else ""
        return next((tool.input_schema for tool in self.tools if tool.name == forced), None)


class AnthropicProtocol:
    """Anthropic's Messages API."""

    name = "anthropic"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ") or headers.get(
            "x-api-key", ""
        )

    def read(self, body: bytes, *, path: str) -> Asked:
        request = _Request.model_validate_json(body)
        system = request.system
        return Asked(
            model=request.model,
            stream=request.stream,
            system=system if isinstance(system, str) else "\n".join(b.text for b in system),
            messages=_history(request.messages),
            tools=tuple(tool.name for tool in request.tools),
            shape=request.shape,
        )

    def whole(self, asked: Asked, answer: Answer) -> Json:
        usage = usage_of(asked, answer)
        return {
            **_head(asked),
            "content": _content(_called(asked, answer)),
            "stop_reason": _reason(answer),
            "usage": {"input_tokens": usage.prompt, "output_tokens": usage.completion},
        }

    def events(self, asked: Asked, answer: Answer) -> Sequence[str]:
        usage = usage_of(asked, answer)
        start: Json = {
            **_head(asked),
            "content": [],
            "stop_reason": None,
            "usage": {"input_tokens": usage.prompt, "output_tokens": 0},
        }
        return [
            _event("message_start", {"message": start}),
            *_block_events(_called(asked, answer)),
            _event(
                "message_delta",
                {
                    "delta": {"stop_reason": _reason(answer), "stop_sequence": None},
                    "usage": {"output_tokens": usage.completion},
                },
            ),
            _event("message_stop", {}),
        ]

    def error(self, status: int, message: str, *, retry_after: str) -> tuple[Json, Headers]:
        kind = ERROR_TYPES.get(status, "api_error")
        body: Json = {"type": "error", "error": {"type": kind, "message": message}}
        return body, retry_header(retry_after)


def _history(turns: Sequence[_Turn]) -> tuple[Message, ...]:
    """The conversation; a tool's result gets its tool's name from the call that asked for it."""
    names = {b.id: b.name for turn in turns for b in turn.blocks if b.type == "tool_use"}
    history: list[Message] = []
    for turn in turns:
        results = [block for block in turn.blocks if block.type == "tool_result"]
        history += [Message("tool", b.said, name=names.get(b.tool_use_id, "")) for b in results]
        text = "\n".join(block.text for block in turn.blocks if block.text)
        if text or not results:
            history.append(Message("user" if turn.role == "user" else "model", text))
    return tuple(history)


def _head(asked: Asked) -> Json:
    return {
        "id": ANSWER_ID,
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "stop_sequence": None,
    }


def _called(asked: Asked, answer: Answer) -> Answer:
    """An answer in a shape is a call of the tool that had to be called; what is no whole
    object comes as a call without arguments."""
    if asked.shape is None or answer.blocked or answer.call is not None:
        return answer
    try:
        args = _ARGS.validate_json(answer.text)
    except ValidationError:
        args = {}
    return replace(answer, call=ScriptedCall(name=asked.tools[0], args=args))


def _content(answer: Answer) -> list[JsonValue]:
    if answer.call is not None:
        return [
            {
                "type": "tool_use",
                "id": CALL_ID,
                "name": answer.call.name,
                "input": dict(answer.call.args),
            }
        ]
    return [{"type": "text", "text": answer.text}] if answer.text else []


def _reason(answer: Answer) -> JsonValue:
    if answer.blocked:
        return "refusal"
    if answer.cut:
        return "max_tokens"
    return "tool_use" if answer.call is not None else "end_turn"


def _block_events(answer: Answer) -> list[str]:
    if answer.call is not None:
        block: Json = {"type": "tool_use", "id": CALL_ID, "name": answer.call.name, "input": {}}
        arguments = json.dumps(dict(answer.call.args))
        deltas: list[Json] = [{"type": "input_json_delta", "partial_json": arguments}]
    elif answer.text:
        block = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in answer.pieces()]
    else:
        return []
    return [
        _event("content_block_start", {"index": 0, "content_block": block}),
        *(_event("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas),
        _event("content_block_stop", {"index": 0}),
    ]


def _event(kind: str, data: Json) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
