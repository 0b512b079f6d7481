"""Answers in JSON: the shape that is asked for, and what can be read of those that models give,
with prose or a fence around, a comma too many, a key that is missing or written in another
way. What cannot be read costs itself alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

WORD = TypeVar("WORD", bound=StrEnum)

Shape = Mapping[str, object]
"""A JSON schema, strict, so that providers can enforce it: every field is required, none is
beside them."""

TEXT: Shape = {"type": "string"}
NUMBER: Shape = {"type": "integer"}
YES_OR_NO: Shape = {"type": "boolean"}

TRUE = frozenset({"true", "yes", "1"})
FALSE = frozenset({"false", "no", "0"})


def object_of(**properties: Shape) -> Shape:
    """The shape of an object with these members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(item: Shape) -> Shape:
    """The shape of a list of such items."""
    return {"type": "array", "items": item}


def one_of(values: Iterable[str]) -> Shape:
    """The shape of one of some texts."""
    return {**TEXT, "enum": list(values)}


def read_json(answer: str) -> object:
    """The JSON value of an answer, repaired where it has to be; None where there is none."""
    try:
        told = json.loads(answer)
        return read_json(told) if isinstance(told, str) else told
    except (ValueError, RecursionError):
        pass
    import json_repair

    begin = min((at for at in map(answer.find, "{[") if at >= 0), default=-1)
    if begin < 0:
        return None
    try:
        told = json_repair.loads(answer[begin:])
    except (ValueError, RecursionError):
        return None
    # Of several values one after the other, the largest is the answer.
    if isinstance(told, list) and answer[begin] == "{":
        return max((each for each in told if each), key=lambda each: len(str(each)), default=None)
    return told


def fields_of(told: object) -> Mapping[str, object]:
    """The members of an object, their names in lower case; nothing of anything else."""
    if not isinstance(told, Mapping):
        return {}
    return {str(name).strip().casefold(): value for name, value in told.items()}


def unwrapped(told: object, names: Collection[str]) -> object:
    """What an answer tells that has members of these names, and may stand in another
    object."""
    fields = fields_of(told)
    if len(fields) == 1 and not fields.keys() & set(names):
        return next(iter(fields.values()))
    return told


def listed(told: object, name: str) -> Iterator[Mapping[str, object]]:
    """The objects of the list `name` of an object, or of a bare list, also of one in another;
    texts among them as objects of one `text`."""
    found = told if isinstance(told, list) else fields_of(told).get(name)
    if isinstance(found, Mapping):
        are_objects = all(isinstance(each, Mapping) for each in found.values())
        found = list(found.values()) if are_objects else [found]
    for each in found if isinstance(found, list) else ():
        if isinstance(each, str):
            yield {"text": each}
        elif isinstance(each, list):
            yield from listed(each, name)
        elif isinstance(each, Mapping):
            yield fields_of(each)


def text_of(fields: Mapping[str, object], *names: str) -> str:
    """The text of the first of these members that has one; empty where none has."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, list):
            value = " ".join(each for each in value if isinstance(each, str))
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def number_of(fields: Mapping[str, object], *names: str) -> int | None:
    """The number of the first of these members that has one, also as a text."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            return int(value) if value == int(value) else None
        digits = str(value).strip().lstrip("#").rstrip(".")
        if digits.isascii() and digits.isdigit() and len(digits) < 10:
            return int(digits)
    return None


def truth_of(fields: Mapping[str, object], name: str, *, usual: bool) -> bool:
    """The truth of a member, also as a text; `usual` where it is neither."""
    value = fields.get(name)
    if isinstance(value, bool):
        return value
    said = str(value).strip().casefold()
    return True if said in TRUE else False if said in FALSE else usual


def word_of(fields: Mapping[str, object], name: str, words: type[WORD]) -> WORD | None:
    """Which of some words a member has, in whatever case and with whatever between them."""
    said = _bare(text_of(fields, name))
    return next((word for word in words if _bare(word.value) == said), None)


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word.casefold()))
