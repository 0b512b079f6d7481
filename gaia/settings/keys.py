"""The setting keys: what each may hold, in words, and which one was meant.

Taken from the schema, for messages, for `gaia config show` and for checking
the documentation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, get_args, get_origin

from pydantic import JsonValue, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gaia.settings.document import Document, KeyPath
from gaia.settings.schema import Block, Settings
from gaia.settings.secrets import is_secret
from gaia.settings.surprises import reading
from gaia.settings.urls import HiddenError, MeantError

BLOCK = "a block of keys, indented below it"
SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Key:
    """A setting that holds a value, by the path that leads to it."""

    path: tuple[str, ...]
    default: JsonValue
    allowed: str

    def __str__(self) -> str:
        return ".".join(self.path)


def all_keys() -> tuple[Key, ...]:
    """Every setting, in the order of the schema."""
    return tuple(_keys_of(Settings(), ()))


def describe_allowed(path: tuple[str, ...]) -> str:
    """What the key at `path` may hold, in words; of a path that is no key, nothing."""
    block: type[Block] = Settings
    for number, name in enumerate(path):
        if name not in block.model_fields:
            return ""
        field = block.model_fields[name]
        inner = block_of(field)
        if inner is None:
            return _describe(field) if number == len(path) - 1 else ""
        block = inner
    return BLOCK


def block_of(field: FieldInfo) -> type[Block] | None:
    """The block that the field holds; None when it holds a value."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Block) else None


def suggest(path: tuple[str, ...]) -> str:
    """The known key that was probably meant by the unknown one at `path`, or nothing.

    A key of the same block that is spelt alike comes first, then one of the
    same name in another block.
    """
    block: type[Block] | None = Settings
    for name in path[:-1]:
        field = block.model_fields.get(name) if block else None
        block = block_of(field) if field else None
    alike = get_close_matches(path[-1], block.model_fields if block else (), n=1, cutoff=0.7)
    if alike:
        return ".".join((*path[:-1], alike[0]))
    namesakes = [str(key) for key in all_keys() if key.path[-1] == path[-1]]
    return namesakes[0] if len(namesakes) == 1 else ""


def _keys_of(block: Block, path: tuple[str, ...]) -> Iterator[Key]:
    for name, field in type(block).model_fields.items():
        value = getattr(block, name)
        if isinstance(value, Block):
            yield from _keys_of(value, (*path, name))
        else:
            yield Key((*path, name), value, _describe(field))


def _describe(field: FieldInfo) -> str:
    if field.description:
        return field.description
    if get_origin(field.annotation) is Literal:
        return ", ".join(get_args(field.annotation))
    if field.annotation is bool:
        return "true or false"
    if field.annotation is int:
        return f"a whole number{_describe_range(field)}"
    if field.annotation is float:
        return f"a number{_describe_range(field)}"
    if field.annotation is str:
        return "text"
    return BLOCK


def _describe_range(field: FieldInfo) -> str:
    words = []
    for name, word in (("ge", "from"), ("gt", "above"), ("le", "to"), ("lt", "below")):
        for bound in field.metadata:
            limit = getattr(bound, name, None)
            if limit is not None:
                words.append(f" {word} {limit}")
    return "".join(words)


MOST_MISTAKES = 100
"""So many are explained; to find what each of thousands was meant to be takes minutes."""


def explain(error: ValidationError, document: Document) -> None:
    """Note each finding of `error` as a mistake in `document`, at its place."""
    found = error.errors(include_url=False)
    for details in found[:MOST_MISTAKES]:
        path = tuple(str(part) for part in details["loc"])
        if details["type"] == "extra_forbidden":
            _explain_unknown(document, path)
        elif details["type"] == "missing":
            _explain_missing(document, path)
        else:
            _explain_value(document, path, details)
    more = len(found) - MOST_MISTAKES
    if more > 0:
        document.add_mistake(None, (), f"{more:,} more settings are wrong", "Mend these first")


def _explain_unknown(document: Document, path: KeyPath) -> None:
    meant = suggest(path)
    remedy = f"Did you mean {meant}?" if meant else "Remove it"
    document.add_mistake(document.key_places.get(path), path, "is not a setting", remedy)


def _explain_missing(document: Document, path: KeyPath) -> None:
    remedy = f"Add it: {describe_allowed(path)}"
    document.add_mistake(document.key_places.get(path[:-1]), path, "is missing", remedy)


def _explain_value(document: Document, path: KeyPath, details: ErrorDetails) -> None:
    place = document.value_places.get(path)
    if isinstance(details["input"], dict):
        cause = details.get("ctx", {}).get("error")
        if isinstance(cause, ValueError):
            document.add_mistake(place, path, f"does not fit: {cause}", "Change one of the two")
            return
    shown = show_value(path, details["input"])
    remedy = f"Allowed: {describe_allowed(path)}"
    cause = details.get("ctx", {}).get("error")
    if isinstance(cause, MeantError):
        remedy = f"Set it to {cause.meant}"
    if details["type"] == "literal_error":
        remedy += _suggest_word(str(details["input"]), describe_allowed(path).split(", "))
    written = document.written.get(path, "")
    if written and (told := reading(written, details["input"])):
        if details["type"] == "string_type":
            remedy = f'YAML reads {told}: put it in quotes, "{written}"'
            shown = written
        elif told == "text" or ":" in written:
            shown = f"{written}, and YAML reads {told}"
            remedy += ", without a leading 0 or a colon"
    problem = str(cause) if isinstance(cause, HiddenError) else f"is {shown}"
    document.add_mistake(place, path, problem, remedy)


def _suggest_word(said: str, allowed: list[str]) -> str:
    by_lower = {word.lower(): word for word in allowed}
    meant = get_close_matches(said.lower(), by_lower, n=1, cutoff=0.7)
    return f". Did you mean {by_lower[meant[0]]}?" if meant else ""


def show_value(path: KeyPath, value: object) -> str:
    """The value as it may be shown in a message: short, and never a secret."""
    if isinstance(value, dict):
        return "a block"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str) and is_secret(path, value):
        return "a secret"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
