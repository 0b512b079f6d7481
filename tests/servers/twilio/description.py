"""Whether a request is what Twilio's OpenAPI description says, and an answer too.

`api_v2010.json` is an excerpt (see `excerpt`) of the description that Twilio publishes
of its REST API, https://github.com/twilio/twilio-oai, file twilio_api_v2010.json.
Typing indicators are not in it: `api_v2.json` says of them what Twilio's documentation
and the `twilio` library do.

The description allows any field; here a name that it does not have is a mistake.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from pydantic import JsonValue, TypeAdapter

if TYPE_CHECKING:
    from openapi_core import OpenAPI
    from openapi_core.datatypes import RequestParameters
    from werkzeug.datastructures import Headers

Json = dict[str, JsonValue]
_OBJECT = TypeAdapter(Json)
_LIST = TypeAdapter(list[Json])
_OBJECTS = TypeAdapter(dict[str, Json])

API_HOST = "https://api.twilio.com"
MESSAGING_HOST = "https://messaging.twilio.com"
FILES = {API_HOST: "api_v2010.json", MESSAGING_HOST: "api_v2.json"}
FORM = "application/x-www-form-urlencoded"


class NotTwilioError(Exception):
    """The test server was about to say what Twilio never would."""


@dataclass(slots=True)
class _AsTwilioSees:
    """A request as openapi-core wants it, which writes the parameters of the path into it:
    sent to the host that Twilio serves it on."""

    host_url: str
    method: str
    path: str
    parameters: RequestParameters
    body: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class _AsTwilioSays:
    """An answer as openapi-core wants it."""

    data: bytes
    status_code: int
    headers: Headers
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Given:
    """A request as it came: `query` and `headers` as on the wire."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Description:
    """Compares requests and answers with the description."""

    def __init__(self, apis: Mapping[str, OpenAPI], told: Iterable[Json]) -> None:
        self._apis = apis
        self._fields = {
            str(operation["operationId"]): _fields(operation)
            for each in told
            for operations in _objects(each["paths"]).values()
            for operation in _objects(operations).values()
        }

    def mistakes(self, operation_id: str, given: Given) -> list[str]:
        """What is wrong with a request for that operation."""
        request = _as_twilio_sees(given)
        errors = self._apis[request.host_url].iter_request_errors(request)
        unknown = [f"{name} is unknown" for name in _sent(given) - self._fields[operation_id]]
        return [*(reason for error in errors for reason in _reasons(error)), *sorted(unknown)]

    def require(self, given: Given, status: int, answer: Json) -> None:
        """Raise `NotTwilioError` unless `answer` is one that the request may get."""
        from werkzeug.datastructures import Headers

        request = _as_twilio_sees(given)
        said = _AsTwilioSays(json.dumps(answer).encode(), status, Headers())
        errors = self._apis[request.host_url].iter_response_errors(request, said)
        mistakes = [reason for error in errors for reason in _reasons(error)]
        if mistakes:
            raise NotTwilioError(
                f"the answer to {given.method} {given.path} is not as described: "
                f"{'; '.join(mistakes)}"
            )


@cache
def load_description() -> Description:
    """The description, read once in a process: that takes a second."""
    from openapi_core import OpenAPI

    folder = resources.files("tests.servers.twilio")
    told = {host: _read(folder.joinpath(name).read_bytes()) for host, name in FILES.items()}
    apis = {host: OpenAPI.from_dict(each) for host, each in told.items()}
    return Description(apis, told.values())


def _read(content: bytes) -> Json:
    return _OBJECT.validate_json(content)


def _as_twilio_sees(given: Given) -> _AsTwilioSees:
    from openapi_core.datatypes import RequestParameters
    from werkzeug.datastructures import Headers, ImmutableMultiDict

    return _AsTwilioSees(
        host_url=MESSAGING_HOST if given.path.startswith("/v2/") else API_HOST,
        method=given.method.lower(),
        path=given.path,
        parameters=RequestParameters(
            query=ImmutableMultiDict(given.query), header=Headers(dict(given.headers))
        ),
        body=given.body,
        content_type=given.headers.get("content-type", "").lower(),
    )


def _reasons(error: Exception) -> list[str]:
    """The error in words, without the whole of what was sent."""
    cause = error.__cause__
    told = getattr(cause, "schema_errors", None)
    name = f"{getattr(error, 'name', '')} ".lstrip()
    if told:
        return [f"{name}{each.json_path.removeprefix('$')} {each.message}".strip() for each in told]
    return [str(error)]


def _fields(operation: Json) -> set[str]:
    """The names of the parameters in the query, and of those in a form."""
    listed = operation.get("parameters")
    parameters = _LIST.validate_python(listed or [])
    names = {str(each["name"]) for each in parameters if each["in"] == "query"}
    at: JsonValue = operation
    for key in ("requestBody", "content", FORM, "schema", "properties"):
        at = at.get(key) if isinstance(at, dict) else None
    return names | set(at) if isinstance(at, dict) else names


def _sent(given: Given) -> set[str]:
    form = parse_qsl(given.body.decode(errors="replace"), keep_blank_values=True)
    return {name for name, _ in (*given.query, *form)}


def _objects(value: JsonValue) -> dict[str, Json]:
    return _OBJECTS.validate_python(value)
