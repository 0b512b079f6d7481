"""What a terminal would obey instead of showing: found in text and removed."""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    r"""
      (?:\x1b\]|\x9d) [^\x07\x1b\x9c\n]* (?:\x07|\x1b\\|\x9c)      # OSC: titles, links, clipboard
    | (?:\x1b[PX^_]|[\x90\x98\x9e\x9f]) [^\x1b\x9c\n]* (?:\x1b\\|\x9c)  # DCS, SOS, PM, APC
    | (?:\x1b\[|\x9b) [0-?]* [ -/]* [@-~]                          # CSI: colours, cursor
    | \x1b [ -/]* [0-~]                                            # the other escapes
    """,
    re.VERBOSE,
)
_LINE_ENDS = re.compile(r"\r\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def strip_controls(text: str) -> str:
    """`text` without escape sequences, control characters and what overrides
    the direction of writing. Line breaks and tabs stay."""
    text = _SEQUENCES.sub("", text)
    text = _LINE_ENDS.sub("\n", text)
    return _CONTROLS.sub("", text)
