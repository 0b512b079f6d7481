"""What a host of each protocol puts on the wire for an answer of a row.

An answer is told for all protocols at once (`text`, `pieces`, `thought`, `calls`, `finish`;
`status` or `error` with a `message`; `html`; `garbled`), or, in a row of one protocol, as
it is: `json`, the `sse` events of a stream (with `done` for its closing `[DONE]`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

Answer = Mapping[str, Any]
Json = dict[str, Any]

PROTOCOLS = ("openai-chat", "openai-responses", "gemini", "anthropic")
FINISHES = {
    "stop": ("stop", "completed", "STOP", "end_turn"),
    "length": ("length", "incomplete", "MAX_TOKENS", "max_tokens"),
    "filter": ("content_filter", "incomplete", "SAFETY", "refusal"),
    "unknown": ("eos_token", "completed", "A_NEW_REASON", "a_new_reason"),
}
"""How each protocol says why an answer ended, in the order of `PROTOCOLS`."""
STATUS_NAMES = {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 400: "INVALID_ARGUMENT"}
ERROR_TYPES = {429: "rate_limit_error", 529: "overloaded_error", 400: "invalid_request_error"}


def protocol_of(path: str) -> str:
    """The protocol of a request, by where it went."""
    endings = {"/chat/completions": 0, "/responses": 1, "/messages": 3}
    found = [number for ending, number in endings.items() if path.endswith(ending)]
    return PROTOCOLS[found[0] if found else 2]


def response_to(request: Request, body: Json, answer: Answer) -> Response:
    """Render `answer` in the protocol, and the way, in which it was asked for."""
    protocol = protocol_of(request.url.path)
    streamed = body.get("stream") is True or request.url.path.endswith(":streamGenerateContent")
    status = answer.get("status", 200)
    headers = {"retry-after": str(answer["retry_after"])} if "retry_after" in answer else {}
    if "html" in answer:
        return HTMLResponse(answer["html"], status, headers)
    if answer.get("garbled"):
        return Response("data: {no json\n\n", status, headers, "application/json")
    if "json" in answer:
        return JSONResponse(answer["json"], status, headers)
    if "sse" in answer:
        return _stream(answer["sse"], done=answer.get("done", True))
    if status != 200:
        return JSONResponse(_error(protocol, status, answer), status, headers)
    whole, events = _RENDERINGS[protocol]
    if "error" in answer:
        error = _error(protocol, answer["error"], answer)
        if not streamed:
            return JSONResponse(error)
        return _stream([*_before_error(protocol, answer), error], done=False)
    if streamed:
        return _stream(events(answer), done=protocol == "openai-chat")
    return JSONResponse(whole(answer))


def _stream(events: Iterable[Json], *, done: bool) -> Response:
    lines = [_event(event) for event in events]
    return Response(
        "".join([*lines, "data: [DONE]\n\n"] if done else lines), media_type="text/event-stream"
    )


def _event(event: Json) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _finish(answer: Answer, protocol: str) -> str:
    return FINISHES[answer.get("finish", "stop")][PROTOCOLS.index(protocol)]


def _pieces(answer: Answer) -> Sequence[str]:
    return answer.get("pieces") or ([answer["text"]] if answer.get("text") else [])


def _text(answer: Answer) -> str:
    return "".join(_pieces(answer))


def _calls(answer: Answer) -> list[Json]:
    """The calls; the arguments of each as the model wrote them."""
    calls = [{"id": f"c{number}", **call} for number, call in enumerate(answer.get("calls", []))]
    return [{"arguments": json.dumps(call.get("args", {})), **call} for call in calls]


def _error(protocol: str, status: int, answer: Answer) -> Json:
    error: Json = {"message": answer.get("message", f"scripted {status}")}
    match protocol:
        case "gemini":
            name = STATUS_NAMES.get(status, "UNKNOWN")
            return {"error": {**error, "code": status, "status": name}}
        case "anthropic":
            kind = answer.get("type") or ERROR_TYPES.get(status, "api_error")
            return {"type": "error", "error": {**error, "type": kind}}
        case _:
            return {"error": {**error, "code": answer.get("code", status)}}


def _before_error(protocol: str, answer: Answer) -> Sequence[Json]:
    """What a stream said before it broke off with an error."""
    _, events = _RENDERINGS[protocol]
    said = events(answer)
    if not _pieces(answer):
        return said[:1] if protocol == "anthropic" else []
    return said[: {"anthropic": -3, "gemini": -1, "openai-chat": -2}.get(protocol, -1)]


def _chat(answer: Answer) -> Json:
    message: Json = {"role": "assistant", "content": _text(answer) or None}
    if "thought" in answer:
        message["reasoning_content"] = answer["thought"]
    if calls := _chat_calls(answer):
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _chat_finish(answer)}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": _CHAT_USAGE}


_CHAT_USAGE = {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}


def _chat_finish(answer: Answer) -> str:
    return "tool_calls" if answer.get("calls") else _finish(answer, "openai-chat")


def _chat_calls(answer: Answer) -> list[Json]:
    return [
        {
            "index": number,
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for number, call in enumerate(_calls(answer))
    ]


def _chat_events(answer: Answer) -> list[Json]:
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    if "thought" in answer:
        deltas.append({"content": None, "reasoning_content": answer["thought"]})
    deltas += [{"content": piece} for piece in _pieces(answer)]
    deltas += [{"tool_calls": [call]} for call in _chat_calls(answer)]
    ends = [*([None] * len(deltas)), _chat_finish(answer)]
    chunks: list[Json] = [
        {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip([*deltas, {}], ends, strict=True)
    ]
    return [*chunks, {"id": "x", "choices": [], "usage": _CHAT_USAGE}]


def _responses(answer: Answer) -> Json:
    output: list[Json] = []
    if "thought" in answer:
        summary = [{"type": "summary_text", "text": answer["thought"]}]
        output.append({"type": "reasoning", "id": "rs", "summary": summary})
    if text := _text(answer):
        content = [{"type": "output_text", "text": text, "annotations": []}]
        output.append(
            {"type": "message", "id": "m", "role": "assistant", "content": content}
            | {"status": "completed"}
        )
    output += [
        {"type": "function_call", "id": f"f{call['id']}", "call_id": call["id"]}
        | {"name": call["name"], "arguments": call["arguments"]}
        for call in _calls(answer)
    ]
    response: Json = {"id": "r", "object": "response", "model": "m", "output": output}
    response["status"] = _finish(answer, "openai-responses")
    reasons = {"length": "max_output_tokens", "filter": "content_filter"}
    if reason := reasons.get(answer.get("finish", "")):
        response["incomplete_details"] = {"reason": reason}
    return {
        **response,
        "usage": {
            "input_tokens": 2,
            "output_tokens": 3,
            "total_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _responses_events(answer: Answer) -> list[Json]:
    whole = _responses(answer)
    place = {"output_index": 0, "content_index": 0, "item_id": "m"}
    return [
        {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}},
        *(
            {"type": "response.reasoning_summary_text.delta", "delta": thought, "summary_index": 0}
            | {"output_index": 9, "item_id": "rs"}
            for thought in [answer.get("thought")]
            if thought
        ),
        *(
            {"type": "response.output_text.delta", "delta": piece, **place}
            for piece in _pieces(answer)
        ),
        {"type": f"response.{whole['status']}", "response": whole},
    ]


_GEMINI_USAGE = {"promptTokenCount": 2, "candidatesTokenCount": 3, "totalTokenCount": 5}


def _gemini(answer: Answer) -> Json:
    thoughts = [{"text": answer["thought"], "thought": True}] if "thought" in answer else []
    texts = [{"text": _text(answer)}] if _pieces(answer) else []
    return _gemini_frame([*thoughts, *texts, *_gemini_calls(answer)], _finish(answer, "gemini"))


def _gemini_calls(answer: Answer) -> list[Json]:
    return [
        {"functionCall": {"name": call["name"], "args": _decoded(call["arguments"])}}
        for call in _calls(answer)
    ]


def _gemini_frame(parts: list[Json], finish: str | None) -> Json:
    content: Json = {"role": "model", **({"parts": parts} if parts else {})}
    candidate: Json = {"content": content, "index": 0}
    if finish is None:
        return {"candidates": [candidate]}
    return {"candidates": [{**candidate, "finishReason": finish}], "usageMetadata": _GEMINI_USAGE}


def _gemini_events(answer: Answer) -> list[Json]:
    thoughts = [{"text": answer["thought"], "thought": True}] if "thought" in answer else []
    parts = [*thoughts, *({"text": piece} for piece in _pieces(answer)), *_gemini_calls(answer)]
    return [
        *(_gemini_frame([part], None) for part in parts),
        _gemini_frame([], _finish(answer, "gemini")),
    ]


def _blocks(answer: Answer) -> list[Json]:
    blocks: list[Json] = []
    if "thought" in answer:
        blocks.append({"type": "thinking", "thinking": answer["thought"], "signature": "s"})
    if text := _text(answer):
        blocks.append({"type": "text", "text": text})
    for call in _calls(answer):
        called = {"id": call["id"], "name": call["name"], "input": _decoded(call["arguments"])}
        blocks.append({"type": "tool_use", **called})
    return blocks


def _anthropic(answer: Answer) -> Json:
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": _blocks(answer),
        "stop_reason": "tool_use" if answer.get("calls") else _finish(answer, "anthropic"),
        "usage": {"input_tokens": 2, "output_tokens": 3},
    }


def _anthropic_events(answer: Answer) -> list[Json]:
    whole = _anthropic(answer)
    events: list[Json] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(whole["content"]):
        events += _block_events(index, block, answer)
    end = {"delta": {"stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 3}}
    return [*events, {"type": "message_delta", **end}, {"type": "message_stop"}]


def _block_events(index: int, block: Json, answer: Answer) -> list[Json]:
    match block["type"]:
        case "thinking":
            empty = {"thinking": "", "signature": ""}
            deltas: list[Json] = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        case "text":
            empty = {"text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(answer)]
        case _:
            empty = {"input": {}}
            written = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": written}]
    return [
        {"type": "content_block_start", "index": index, "content_block": {**block, **empty}},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _decoded(arguments: str) -> Any:
    """Arguments for protocols that have them as JSON and not as a string."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


_RENDERINGS: dict[str, tuple[Callable[[Answer], Json], Callable[[Answer], list[Json]]]] = {
    "openai-chat": (_chat, _chat_events),
    "openai-responses": (_responses, _responses_events),
    "gemini": (_gemini, _gemini_events),
    "anthropic": (_anthropic, _anthropic_events),
}
