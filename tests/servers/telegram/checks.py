"""Whether a JSON value is what the table says: of the right type, complete, nothing unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tests.servers.telegram.table import BotApi, Field

ARRAY = "Array of "


class NotTelegramError(Exception):
    """The test server was about to say what Telegram never would. `mistakes` tells why."""

    def __init__(self, what: str, mistakes: Sequence[str]) -> None:
        super().__init__(f"{what} is not as the Bot API has it: {'; '.join(mistakes)}")
        self.mistakes = tuple(mistakes)


class Checker:
    """Compares values with the table."""

    def __init__(self, api: BotApi) -> None:
        self._api = api

    def require(self, value: JsonValue, types: Sequence[str], *, what: str) -> None:
        """Raise `NotTelegramError` unless `value` is of one of `types`."""
        mistakes = self.mistakes(value, types, where=what)
        if mistakes:
            raise NotTelegramError(what, mistakes)

    def mistakes(self, value: JsonValue, types: Sequence[str], *, where: str) -> list[str]:
        """What is wrong with `value`, seen as the one of `types` that it is closest to."""
        found = [self._of_type(value, each, where) for each in types]
        return min(found, key=len)

    def _of_type(self, value: JsonValue, kind: str, where: str) -> list[str]:
        match kind:
            case "Integer":
                fits = isinstance(value, int) and not isinstance(value, bool)
            case "Float":
                fits = isinstance(value, (int, float)) and not isinstance(value, bool)
            case "Boolean":
                fits = isinstance(value, bool)
            case "String" | "InputFile":
                # What is uploaded is named by a string: a file_id, a URL, attach://part.
                fits = isinstance(value, str)
            case _ if kind.startswith(ARRAY):
                return self._array(value, kind.removeprefix(ARRAY), where)
            case _:
                return self._object(value, kind, where)
        return [] if fits else [f"{where} must be {kind}, not {value!r}"]

    def _array(self, value: JsonValue, kind: str, where: str) -> list[str]:
        if not isinstance(value, list):
            return [f"{where} must be {ARRAY}{kind}, not {value!r}"]
        return [
            mistake
            for index, item in enumerate(value)
            for mistake in self._of_type(item, kind, f"{where}[{index}]")
        ]

    def _object(self, value: JsonValue, kind: str, where: str) -> list[str]:
        described = self._api.types[kind]
        if described.subtypes:
            return self._choice(value, described.subtypes, where)
        if not isinstance(value, dict):
            return [f"{where} must be {kind}, not {value!r}"]
        return self.fields(value, described.fields, where=f"{where}.")

    def _choice(self, value: JsonValue, subtypes: Sequence[str], where: str) -> list[str]:
        if isinstance(value, dict):
            # The one that the object says it is, so that its mistakes are the ones told.
            subtypes = [each for each in subtypes if self._claims(value, each)] or subtypes
        return self.mistakes(value, subtypes, where=where)

    def _claims(self, value: Mapping[str, JsonValue], kind: str) -> bool:
        if kind not in self._api.types:
            return False
        told = {
            k: f.always for k, f in self._api.types[kind].fields.items() if f.always is not None
        }
        return bool(told) and all(value.get(name) == always for name, always in told.items())

    def fields(
        self, value: Mapping[str, JsonValue], fields: Mapping[str, Field], *, where: str = ""
    ) -> list[str]:
        """What is wrong with an object, or with the parameters of a method."""
        mistakes = [
            f"{where}{name} is required"
            for name, field in fields.items()
            if field.required and name not in value
        ]
        for name, item in value.items():
            field = fields.get(name)
            if field is None:
                mistakes.append(f"{where}{name} is unknown")
                continue
            mistakes += self.mistakes(item, field.types, where=f"{where}{name}")
            if field.always is not None and item != field.always:
                mistakes.append(f"{where}{name} must be {field.always!r}, not {item!r}")
        return mistakes
