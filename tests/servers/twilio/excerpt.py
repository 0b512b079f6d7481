"""The part of Twilio's OpenAPI description that the server needs, cut out of the whole."""

from __future__ import annotations

import json

from pydantic import JsonValue

Json = dict[str, JsonValue]

_ACCOUNT = "/2010-04-01/Accounts/{AccountSid}"
OPERATIONS = {
    "/2010-04-01/Accounts/{Sid}.json": ("get",),
    f"{_ACCOUNT}/Messages.json": ("get", "post"),
    f"{_ACCOUNT}/Messages/{{Sid}}.json": ("get",),
    f"{_ACCOUNT}/Messages/{{MessageSid}}/Media.json": ("get",),
}
"""What the server serves of it."""

_PROSE = frozenset({"description", "summary", "tags", "examples", "headers", "x-twilio"})
_NAMES = frozenset({"properties", "schemas", "paths"})
_REFERENCE = "#/components/schemas/"


def excerpt(description: Json) -> Json:
    """The operations, with the schemas that they use, and nothing that is only told."""
    paths = _objects(description["paths"])
    kept: Json = {}
    for path, methods in OPERATIONS.items():
        kept[path] = {each: _bare(paths[path][each]) for each in methods}
    components = _objects(description["components"])
    return {
        "openapi": description["openapi"],
        "info": _bare(description["info"]),
        "servers": description["servers"],
        "paths": kept,
        "components": {
            "securitySchemes": components["securitySchemes"],
            "schemas": _used(kept, components["schemas"]),
        },
    }


def _used(of: JsonValue, schemas: Json) -> Json:
    """The schemas that `of` refers to, and those that these refer to."""
    used: Json = {}
    looking = [of]
    while looking:
        told = json.dumps(looking.pop())
        for name in sorted(set(schemas) - set(used)):
            if f'"{_REFERENCE}{name}"' in told:
                used[name] = _bare(schemas[name])
                looking.append(used[name])
    return dict(sorted(used.items()))


def _bare(value: JsonValue, *, names: bool = False) -> JsonValue:
    """Without prose. Where keys are names of fields, all of them stay."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    # OpenAPI demands that an answer is described.
    prose = _PROSE - {"description"} if "content" in value else _PROSE
    return {
        key: _bare(each, names=key in _NAMES and not names)
        for key, each in value.items()
        if names or key not in prose
    }


def _objects(value: JsonValue) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError(f"no object: {value!r}")
    return {key: each for key, each in value.items() if isinstance(each, dict)}
