"""The tools as the embedded model is told of them: few words, and an example.

A small model reads slowly and chooses badly from long descriptions. Of a
tool's docstring it gets the first paragraph, a note for each parameter, and the
lines under `Example:`, which have the form

    What is 7*8? -> {"expression": "7*8"}

Examples decide most about how well a small model chooses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from google.genai import types
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, JsonValue, ValidationError

from gaia.errors import ModelRefusedError

SECTION = re.compile(r"^(Args|Arguments|Returns|Raises|Examples?|Notes?):$")
NOTE = re.compile(r"^(\w+)(?: \([^)]*\))?: (.*)$")
EXAMPLE_MARK = " -> "


def _lowered(kind: object) -> object:
    """JSON Schema's spelling of a type: genai's own schemas shout."""
    kinds = [kind] if isinstance(kind, str) else kind
    return [str(one).lower() for one in kinds] if isinstance(kinds, list) else kinds


class Schema(BaseModel):
    """The part of JSON Schema that gaia's grammar knows; the rest is ignored."""

    kinds: Annotated[list[str], BeforeValidator(_lowered)] = Field(default=[], alias="type")
    description: str = ""
    enum: list[JsonValue] = []
    items: Schema | None = None
    choices: list[Schema] = Field(default=[], validation_alias=AliasChoices("anyOf", "any_of"))
    properties: dict[str, Schema] = {}
    required: list[str] = []


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool."""

    name: str
    schema: Schema
    required: bool
    note: str


@dataclass(frozen=True, slots=True)
class Example:
    """What a person may ask, and the arguments that the tool is then called with."""

    question: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that the model may call."""

    name: str
    purpose: str
    parameters: tuple[Parameter, ...]
    examples: tuple[Example, ...]


def read_offers(config: types.GenerateContentConfig) -> tuple[Offer, ...]:
    """The tools of a request.

    Raises:
        ModelRefusedError: A tool has a schema that can't be read.
    """
    offers = []
    for tool in config.tools or []:
        if isinstance(tool, types.Tool):
            offers += [_offer(declared) for declared in tool.function_declarations or []]
    return tuple(offers)


def _offer(declared: types.FunctionDeclaration) -> Offer:
    purpose, sections = _sections(declared.description or "")
    notes = _notes([*sections.get("Args", []), *sections.get("Arguments", [])])
    schema = _schema(declared)
    parameters = tuple(
        Parameter(
            name=name,
            schema=kind,
            required=name in schema.required,
            note=notes.get(name) or kind.description,
        )
        for name, kind in schema.properties.items()
    )
    examples = _examples([*sections.get("Example", []), *sections.get("Examples", [])])
    return Offer(declared.name or "", purpose, parameters, examples)


def _schema(declared: types.FunctionDeclaration) -> Schema:
    try:
        if declared.parameters_json_schema is not None:
            return Schema.model_validate(declared.parameters_json_schema)
        if declared.parameters is not None:
            return Schema.model_validate(
                declared.parameters.model_dump(mode="json", exclude_none=True)
            )
    except ValidationError as exc:
        raise ModelRefusedError(
            f"the tool {declared.name!r} has parameters that the embedded model's grammar "
            f"does not know: {exc.errors()[0]['msg']}"
        ) from exc
    return Schema()


def _sections(docstring: str) -> tuple[str, dict[str, list[str]]]:
    """The first paragraph on one line, and the lines of each section."""
    opening: list[str] = []
    sections: dict[str, list[str]] = {}
    current = opening
    for line in (raw.strip() for raw in docstring.strip().splitlines()):
        if heading := SECTION.match(line):
            current = sections.setdefault(heading[1], [])
        elif not line and current is opening:
            current = []
        elif line:
            current.append(line)
    return " ".join(opening), sections


def _notes(lines: Sequence[str]) -> dict[str, str]:
    notes: dict[str, str] = {}
    name = ""
    for line in lines:
        if found := NOTE.match(line):
            name = found[1]
            notes[name] = found[2]
        elif name:
            notes[name] += f" {line}"
    return notes


def _examples(lines: Sequence[str]) -> tuple[Example, ...]:
    examples = []
    for line in lines:
        question, mark, told = line.rpartition(EXAMPLE_MARK)
        if not mark:
            continue
        try:
            arguments = json.loads(told)
        except ValueError:
            continue
        if isinstance(arguments, dict):
            examples.append(Example(question.strip(), arguments))
    return tuple(examples)
