"""The methods and types of Telegram's Bot API, as a table.

`bot_api.json` is made of Telegram's documentation, https://core.telegram.org/bots/api,
version 10.1 of 11 June 2026: names, types, what is required, what is returned, and
the value that a field always has.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Field(_Row):
    """A field of a type, or a parameter of a method.

    `types` are alternatives, such as `Integer` or `Array of Message`.
    """

    types: tuple[str, ...]
    required: bool = False
    always: str | int | None = None
    """The only value it may have, where the documentation says so."""


class Type(_Row):
    """An object with fields, or the choice between other types."""

    fields: dict[str, Field] = {}
    subtypes: tuple[str, ...] = ()


class Method(_Row):
    """What a method takes, and the types that it may return."""

    returns: tuple[str, ...]
    fields: dict[str, Field]


class BotApi(_Row):
    """The whole table."""

    version: str
    types: dict[str, Type]
    methods: dict[str, Method]

    def method_named(self, name: str) -> str | None:
        """The method's name as the documentation writes it; Telegram ignores case."""
        folded = name.casefold()
        return next((each for each in self.methods if each.casefold() == folded), None)


@cache
def load_bot_api() -> BotApi:
    """The table, which is read once."""
    file = resources.files("tests.servers.telegram") / "bot_api.json"
    return BotApi.model_validate_json(file.read_bytes())
