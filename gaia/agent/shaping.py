"""How a model is told the shape of its answer, a JSON schema, in each provider's way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from google.genai import types

from gaia.agent.providers import ModelProvider

BOUNDS = frozenset({"maxLength", "minLength", "maxItems", "minItems", "pattern"})
"""What is for a small model that runs on otherwise. OpenAI refuses some of them, and
Gemini a schema that has too many states with them."""
BY_NAME = frozenset({"properties", "$defs"})
"""Keywords whose members are named by the schema's author."""


def shaped_config(
    instructions: str,
    shape: Mapping[str, object],
    *,
    provider: ModelProvider,
    purpose: str,
    max_output_tokens: int,
) -> types.GenerateContentConfig:
    """The config of a request whose answer is to have the `shape`.

    `purpose` is its title, which OpenAI wants a schema to have.
    """
    bounded = shape if provider == "embedded" else unbounded(shape)
    titled = {"title": purpose, **bounded}
    config = types.GenerateContentConfig(
        system_instruction=instructions,
        max_output_tokens=max_output_tokens,
        response_mime_type="application/json",
    )
    if provider == "gemini":
        config.response_json_schema = titled
    else:
        config.response_schema = titled
    return config


def unbounded(shape: Mapping[str, object]) -> dict[str, object]:
    """`shape` without bounds on lengths."""
    return {
        keyword: _members(value) if keyword in BY_NAME else _within(value)
        for keyword, value in shape.items()
        if keyword not in BOUNDS
    }


def _members(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _within(member) for name, member in value.items()}
    return value


def _within(value: object) -> object:
    if isinstance(value, Mapping):
        return unbounded(cast("Mapping[str, object]", value))
    if isinstance(value, list | tuple):
        return [_within(each) for each in value]
    return value


def told_in_words(instructions: str, shape: Mapping[str, object]) -> str:
    """The instructions, with the shape of the answer for a host that is not to hold to it."""
    schema = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    asked = f"Answer with one JSON object of this JSON schema, and nothing else: {schema}"
    return f"{instructions}\n\n{asked}"
