"""Variables put into the text of `.env`, and all other lines of it kept to the letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO

from dotenv.parser import Binding, parse_stream

HEADING = (
    "# gaia's keys and tokens. Whoever has them can act for you: keep this file to yourself.\n"
)
BARE = re.compile(r"[\w./:+=@~,-]+", re.ASCII)


def with_variables(text: str, values: Mapping[str, str]) -> str:
    """`text` with these variables: where they stood last, or at its end."""
    bindings = list(parse_stream(StringIO(text, newline="")))
    last = {binding.key: number for number, binding in enumerate(bindings)}
    newline = "\r\n" if "\r\n" in text else "\n"
    edited = ""
    for number, binding in enumerate(bindings):
        name = binding.key
        if name is not None and name in values and last[name] == number:
            edited += _line(binding, values[name], newline)
        else:
            edited += binding.original.string
    for name, value in values.items():
        if name not in last:
            edited += newline if edited and not edited.endswith("\n") else ""
            edited += f"{name}={_quoted(value)}{newline}"
    return edited


def variables_in(text: str) -> Mapping[str, str]:
    """The variables that have a value there."""
    bindings = parse_stream(StringIO(text, newline=""))
    return {each.key: each.value for each in bindings if each.key and each.value}


def _line(binding: Binding, value: str, newline: str) -> str:
    old = binding.original.string
    start = old[: len(old) - len(old.lstrip())]
    export = "export " if old[len(start) :].startswith("export") else ""
    end = newline if old.endswith(("\n", "\r")) else ""
    return f"{start}{export}{binding.key}={_quoted(value)}{end}"


def _quoted(value: str) -> str:
    if BARE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
