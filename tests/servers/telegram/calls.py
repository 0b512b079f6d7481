"""Reading a client's request: JSON, form, query string or multipart, into typed parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue, TypeAdapter
from starlette.datastructures import UploadFile
from starlette.requests import Request

from tests.servers.telegram.refusals import Json, bad_request
from tests.servers.telegram.table import Method

_OBJECT = TypeAdapter(Json)
_VALUE: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_OBJECTS = TypeAdapter(list[Json])
_STRINGS = TypeAdapter(list[str])
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a request."""

    file_name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `parameters` have the types of the table, unless they cannot."""

    method: str
    parameters: Json
    uploads: Mapping[str, Upload] = field(default_factory=dict)

    def string(self, name: str) -> str:
        """A string, empty when it is not given."""
        value = self.parameters.get(name, "")
        return value if isinstance(value, str) else str(value)

    def integer(self, name: str, default: int = 0) -> int:
        value = self.parameters.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        return self.parameters.get(name) is True

    def object(self, name: str) -> Json | None:
        """An object, unless it is not given."""
        value = self.parameters.get(name)
        return None if value is None else _OBJECT.validate_python(value)

    def objects(self, name: str) -> list[Json]:
        """A list of objects, empty when it is not given."""
        return _OBJECTS.validate_python(self.parameters.get(name, []))

    def strings(self, name: str) -> list[str] | None:
        """A list of strings, unless it is not given."""
        value = self.parameters.get(name)
        return None if value is None else _STRINGS.validate_python(value)


async def read_call(request: Request, name: str, method: Method) -> Call:
    """The request as a call of `method`. Raises `ApiRefusal` for a body that is no JSON."""
    given: dict[str, JsonValue] = dict(request.query_params)
    uploads: dict[str, Upload] = {}
    if request.headers.get("content-type", "").startswith("application/json"):
        given |= _json_body(await request.body())
    else:
        await request.body()
        async with request.form() as form:
            for part, value in form.multi_items():
                if isinstance(value, UploadFile):
                    uploads[part] = await _upload(value)
                else:
                    given[part] = value
    parameters = {key: _typed(value, _types(method, key)) for key, value in given.items()}
    return Call(name, parameters, uploads)


def _json_body(body: bytes) -> Json:
    try:
        return _OBJECT.validate_json(body)
    except ValueError as exc:
        raise bad_request("can't parse JSON object", violation=True) from exc


async def _upload(file: UploadFile) -> Upload:
    return Upload(file.filename or "", file.content_type or "", await file.read())


def _types(method: Method, name: str) -> Sequence[str]:
    return method.fields[name].types if name in method.fields else ("String",)


def _typed(value: JsonValue, types: Sequence[str]) -> JsonValue:
    """The value that a string stands for, where the table wants no string."""
    if not isinstance(value, str):
        return value
    if "Integer" in types and value.removeprefix("-").isdecimal():
        return int(value)
    if "String" in types or "InputFile" in types:
        return value
    if "Boolean" in types:
        return _BOOLEANS.get(value.lower(), value)
    try:
        return _VALUE.validate_python(json.loads(value))
    except ValueError:
        return value
