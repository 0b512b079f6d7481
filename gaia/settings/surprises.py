"""What YAML makes of a value without quotes that its writer did not mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import JsonValue

_OCTAL = re.compile(r"[-+]?0[0-7_]+")
_LEADING_ZERO = re.compile(r"[-+]?0\d+")
_BY_SIXTY = re.compile(r"[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?")
_VARIABLE = re.compile(r"\$\{\w+\}|\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%")
_FREE_TEXT = re.compile(r"instructions$")


def reading(written: str, value: JsonValue) -> str:
    """What YAML reads in `written`, in words; empty where that is what anybody reads."""
    if isinstance(value, bool):
        return f"the word for {str(value).lower()}"
    if isinstance(value, int | float):
        if _BY_SIXTY.fullmatch(written):
            return f"the number {value}, counted by sixties"
        if _OCTAL.fullmatch(written):
            return f"the number {value}, counted by eights"
        return f"the number {value}"
    return "text" if _LEADING_ZERO.fullmatch(written) else ""


def silent(key: str, written: str, value: JsonValue, behind: str) -> Iterator[str]:
    """What silently became something else. `written` is a value without quotes, empty of
    another, and `behind` is the rest of its line."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (_OCTAL.fullmatch(written) or _BY_SIXTY.fullmatch(written)):
        yield (
            f"{key} is {written}, and YAML reads {reading(written, value)}: "
            "write the number that you mean, without a leading 0 or a colon"
        )
    if not isinstance(value, str):
        return
    if found := _VARIABLE.search(value):
        yield (
            f"{key} holds {found[0]}, which nobody replaces by its value: write the value "
            "itself, and keys and tokens into .env"
        )
    swallowed = behind.strip()
    is_text = _FREE_TEXT.search(key) or not swallowed.startswith("# ")
    if written and swallowed.startswith("#") and swallowed.strip("#") and is_text:
        yield (
            f"{key} ends before '#', where YAML begins a comment: put the whole text in quotes "
            "if what follows belongs to it"
        )
