"""The template of the settings: the only thing that may be sent to somebody who has not
written for a day. What stands in its variable is decided here. Pure.

A variable may have no line breaks and no run of spaces, and must not be empty. The
whole of a template has 1,024 characters at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LONGEST_VALUE = 900
LINE_BREAK = " · "
INVITATION = "I have a longer message for you. Write back to read it."


@dataclass(frozen=True, slots=True)
class Template:
    """An approved template. `variable` is the name of its one variable, empty if it has
    none: it can only ask them to write then."""

    content_sid: str
    variable: str

    def carrying(self, text: str) -> Mapping[str, str] | None:
        """The variables that carry `text`, or None if it does not fit."""
        value = _in_one_line(text)
        if not self.variable or not value or len(value) > LONGEST_VALUE:
            return None
        return {self.variable: value}

    def asking(self) -> Mapping[str, str]:
        """The variables that ask them to write back."""
        return {self.variable: INVITATION} if self.variable else {}


def _in_one_line(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return LINE_BREAK.join(line for line in lines if line)
