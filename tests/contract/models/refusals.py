"""What each provider refuses in a request: calls and results that are no pairs, thoughts
and signatures of another's model."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

Json = Mapping[str, JsonValue]
THOUGHT = "They want the weather in two cities."
GEMINIS_SIGNATURE = base64.b64encode(b"\xff signed by Google").decode()
CLAUDES_SIGNATURE = "signed-by-anthropic"


def listed(value: JsonValue) -> list[Json]:
    assert isinstance(value, list)
    return cast(list[Json], value)


def check_gemini(body: Json) -> None:
    contents = listed(body["contents"])
    awaited: list[JsonValue] = []
    for position, content in enumerate(contents):
        parts = listed(content["parts"])
        assert parts
        calls = [cast(Json, part["functionCall"]) for part in parts if "functionCall" in part]
        results = [
            cast(Json, part["functionResponse"]) for part in parts if "functionResponse" in part
        ]
        assert [(each.get("id"), each["name"]) for each in results] == awaited
        awaited = [(call.get("id"), call["name"]) for call in calls]
        if calls:
            assert content["role"] == "model"
            assert contents[position - 1]["role"] == "user"
        for part in parts:
            signature = part.get("thoughtSignature") or part.get("thought_signature")
            assert signature in (None, GEMINIS_SIGNATURE, GEMINIS_SIGNATURE.replace("/", "_"))
            assert not part.get("thought") or signature
    assert awaited == []


def check_completions(body: Json) -> None:
    awaited: list[str] = []
    seen: set[str] = set()
    for message in listed(body["messages"]):
        if message["role"] == "tool":
            assert message["tool_call_id"] == awaited.pop(0)
            continue
        assert awaited == []
        awaited = [str(call["id"]) for call in listed(message.get("tool_calls") or [])]
        assert all(re.fullmatch(r"[a-zA-Z0-9]{9}", each) for each in awaited)  # as Mistral wants
        assert not seen.intersection(awaited)
        seen.update(awaited)
        assert message.get("content") or awaited
        assert "reasoning_content" not in message
    assert awaited == []
    assert THOUGHT not in json.dumps(body)


def check_responses(body: Json) -> None:
    awaited: set[JsonValue] = set()
    for item in listed(body["input"]):
        if item.get("type") == "function_call":
            assert item["call_id"] not in awaited
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(item["call_id"]))
            awaited.add(item["call_id"])
        elif item.get("type") == "function_call_output":
            awaited.remove(item["call_id"])
        else:
            assert item.get("type") != "reasoning"
    assert awaited == set()
    assert THOUGHT not in json.dumps(body)


def check_messages(body: Json) -> None:
    awaited: list[JsonValue] = []
    seen: set[JsonValue] = set()
    for message in listed(body["messages"]):
        blocks = message["content"]
        blocks = listed(blocks) if isinstance(blocks, list) else []
        assert blocks
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == awaited
        awaited = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not seen.intersection(awaited)
        seen.update(awaited)
        for block in blocks:
            assert block["type"] != "thinking" or block["signature"] == CLAUDES_SIGNATURE
            assert block["type"] != "text" or block["text"]
    assert awaited == []
