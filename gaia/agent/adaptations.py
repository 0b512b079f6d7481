"""What a request is asked without, for a host that lacks something.

Features are left out of the request before the provider's client sees it. Fields are left
out of the body that the client sends, so that it makes no difference which client it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Set
from enum import StrEnum

import httpx
from google.adk.models.llm_request import LlmRequest
from google.genai import types

JSON_TYPE = "application/json"

IN_WORDS = "Answer with one JSON object of this JSON schema, and nothing else"

NEEDED = frozenset({"model", "messages", "contents", "input"})
"""Fields without which there is no request."""


class Feature(StrEnum):
    """A part of a request that some hosts do not know."""

    TOOLS = "tools"
    FILES = "files"
    SCHEMA = "a JSON schema"
    JSON = "JSON mode"
    SYSTEM = "the system role"
    STREAM = "streaming"


SHAPE = frozenset({Feature.SCHEMA, Feature.JSON})
"""Ways to ask for the shape of an answer; a request uses one of them at most."""

FEATURE_FIELDS: Mapping[str, frozenset[Feature]] = {
    **dict.fromkeys(["responseformat", "responseschema", "responsejsonschema", "text"], SHAPE),
    **dict.fromkeys(["system", "systeminstruction", "instructions"], frozenset({Feature.SYSTEM})),
    "tools": frozenset({Feature.TOOLS}),
    "stream": frozenset({Feature.STREAM}),
}
"""Fields that are not just left out, since more of the request depends on them."""


def features_of(request: LlmRequest, *, stream: bool) -> Set[Feature]:
    """The features that a request uses."""
    config = request.config
    parts = [part for content in request.contents for part in content.parts or []]
    has_schema = shape_of(config) is not None
    used = {
        Feature.TOOLS: bool(config.tools),
        Feature.FILES: any(part.inline_data for part in parts),
        Feature.SCHEMA: has_schema,
        Feature.JSON: config.response_mime_type == JSON_TYPE and not has_schema,
        Feature.SYSTEM: isinstance(config.system_instruction, str),
        Feature.STREAM: stream,
    }
    return {feature for feature, is_used in used.items() if is_used}


def without(request: LlmRequest, features: Collection[str]) -> LlmRequest:
    """The request without some of its features. The shape of an answer is told in words
    then, and what the system role would say stands before the conversation."""
    config, contents = request.config.model_copy(), request.contents
    if Feature.TOOLS in features:
        config.tools = config.tool_config = None
        contents = list(_without_calls(contents))
    shape = shape_of(config)
    if Feature.SCHEMA in features and isinstance(shape, Mapping):
        schema = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
        config.system_instruction = f"{config.system_instruction or ''}\n\n{IN_WORDS}: {schema}"
        config.response_schema = config.response_json_schema = None
    if Feature.JSON in features:
        config.response_mime_type = None
    if Feature.SYSTEM in features and isinstance(config.system_instruction, str):
        before = types.Part(text=config.system_instruction)
        first = contents[0].parts or [] if contents else []
        contents = [types.Content(role="user", parts=[before, *first]), *contents[1:]]
        config.system_instruction = None
    return request.model_copy(update={"config": config, "contents": contents})


def shape_of(config: types.GenerateContentConfig) -> object:
    """The JSON schema that the answer is to have, None if it is to have none."""
    return config.response_schema or config.response_json_schema


def _without_calls(contents: Collection[types.Content]) -> Iterator[types.Content]:
    for content in contents:
        parts = content.parts or []
        parts = [each for each in parts if not (each.function_call or each.function_response)]
        if parts:
            yield types.Content(role=content.role, parts=parts)


class BodyFilter:
    """Leaves `fields` out of the bodies of requests, as a hook of an HTTP client, and what
    is null, which strict hosts refuse. A field of an object within the body is named
    `object.field`."""

    def __init__(self) -> None:
        self.fields: Collection[str] = ()

    async def __call__(self, request: httpx.Request) -> None:
        # A request that was sent on to another address has its body as a stream alone.
        content = await request.aread()
        if not content:
            return
        body = json.loads(content)
        for field in self.fields:
            *outer, name = field.split(".")
            holder = body.get(outer[0], {}) if outer else body
            holder.pop(name, None)
        told = {name: value for name, value in body.items() if value is not None}
        lighter = type(request)(request.method, request.url, json=told)
        request.stream = lighter.stream
        request.headers["content-length"] = lighter.headers["content-length"]


def optional_fields(sent: bytes, needed: Collection[str]) -> Iterator[str]:
    """The fields of a body that a host may do without, those of its objects as well."""
    body = json.loads(sent) if sent else {}
    for name, value in body.items():
        if name in NEEDED or name in needed or value is None:
            continue
        yield name
        if isinstance(value, dict) and plain(name) not in FEATURE_FIELDS:
            yield from (f"{name}.{inner}" for inner in value)


def plain(name: str) -> str:
    """A field's own name, in whatever way its words are joined."""
    return re.sub("[^a-z0-9]", "", name.rpartition(".")[2].lower())
