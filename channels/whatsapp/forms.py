"""The body of a request of Twilio's as named values: a form, or a JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qsl

from channels.wording import clean, one_line

MOST_FIELDS = 400
"""Twilio sends some thirty; a message with ten files and everything else has no hundred."""

LONGEST_FORM_BYTES = 200_000
"""A message of 4,096 characters, the longest on WhatsApp, has 50,000 when each is an
emoji. Longer ones are not read: whoever sends them shall not keep gaia busy."""

LONGEST_NAME = 128


@dataclass(frozen=True, slots=True)
class Params:
    """Named values as they were signed, of which each name may have several.

    `get` and `line` give what can be stored; iterating and `getall` are what Twilio's
    library asks for when it computes a signature.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Self:
        """Each name with its one value."""
        return cls({name: (value,) for name, value in values.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def getall(self, name: str) -> tuple[str, ...]:
        """All values of that name, none if there is no such name."""
        return self.values.get(name, ())

    def get(self, name: str) -> str:
        """The first value of that name, empty if there is none."""
        return clean(self.values.get(name, ("",))[0])

    def line(self, name: str, longest: int = LONGEST_NAME) -> str:
        """The first value of that name in one line of at most so many characters."""
        return one_line(self.get(name), longest)


def read_form(body: bytes) -> Params:
    """The values of a form.

    Raises `ValueError` for one that is not in UTF-8, or is longer or has more fields than
    any of Twilio's.
    """
    if len(body) > LONGEST_FORM_BYTES:
        raise ValueError("too long")
    pairs = parse_qsl(
        body.decode(),
        keep_blank_values=True,
        encoding="utf-8",
        errors="strict",
        max_num_fields=MOST_FIELDS,
    )
    values: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        values[name] = (*values.get(name, ()), value)
    return Params(values)


def read_json(body: bytes) -> Params:
    """The values of a JSON object, and of lists in it; what is neither text nor a number
    is left out.

    Raises `ValueError` for what is no object, or has more than `MOST_FIELDS`.
    """
    try:
        fields = json.loads(body)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS:
        raise ValueError("not an object, or one of too many fields")
    read = {name: tuple(_scalars(value)) for name, value in fields.items()}
    return Params({name: values for name, values in read.items() if values})


def _scalars(value: object) -> Iterator[str]:
    for each in value[:MOST_FIELDS] if isinstance(value, list) else [value]:
        if isinstance(each, bool):
            yield str(each).lower()
        elif isinstance(each, str | int | float):
            yield str(each)
