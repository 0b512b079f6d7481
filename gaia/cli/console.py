"""What a terminal shows: rows in columns, text without what a terminal would obey, a line that
waits."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, TextIO

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]

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
ERASE_LINE = "\r\x1b[K"


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether colours show on `stream`, and nobody has switched them off.

    `NO_COLOR` counts unless it is empty, https://no-color.org.
    """
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM", "dumb") != "dumb"


def columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, width: int | None = None
) -> str:
    """The rows under their headings, each column as wide as its widest cell; lines that
    are wider than `width` are cut."""
    from rich.cells import cell_len

    lines = [headings, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    told = (
        "  ".join(
            cell + " " * (widest - cell_len(cell))
            for cell, widest in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join(told if width is None else (cut(line, width) for line in told))


def cut(line: str, width: int) -> str:
    """A line that is no wider than `width`; what was cut ends in an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"


def terminal_width() -> int:
    """How wide the terminal is; 80 where there is none."""
    return shutil.get_terminal_size().columns


def say(text: str, *, err: bool = False) -> None:
    """Print sentences."""
    stream = sys.stderr if err else sys.stdout
    typer.echo(in_whole_words(text, stream, indent=""), err=err)


def in_whole_words(text: str, stream: TextIO, *, indent: str = "  ") -> str:
    """`text` as lines for `stream`: a terminal, which would break words at its edge, gets none
    that is wider, unless a word is; anybody else gets it as it is. `indent` stands before what
    goes on from the line above."""
    if not stream.isatty():
        return text
    wrapped = (
        textwrap.wrap(
            line,
            terminal_width(),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )
    return "\n".join("\n".join(lines) for lines in wrapped)


def local_time(time: datetime) -> str:
    """A time as the machine's clock on the wall shows it, to the second."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


def strip_controls(text: str) -> str:
    """`text` without escape sequences, control characters and what overrides
    the direction of writing. Line breaks and tabs stay."""
    text = _SEQUENCES.sub("", text)
    text = _LINE_ENDS.sub("\n", text)
    return _CONTROLS.sub("", text)


def echo_json(value: object) -> None:
    """Print JSON for a script to read."""
    typer.echo(json.dumps(value, indent=2))


class WaitingLine:
    """Writes to `stream`, and only if that is a terminal that can erase a line."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._stream = stream
        self._can_erase = stream.isatty() and environ.get("TERM", "dumb") != "dumb"
        self._is_shown = False

    def say(self, name: str) -> None:
        """Show that `name` is being checked."""
        self._write(f"checking {name} ...")
        self._is_shown = True

    def clear(self) -> None:
        """Take the line away, if there is one."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    def _write(self, text: str) -> None:
        if self._can_erase:
            self._stream.write(f"{ERASE_LINE}{text}")
            self._stream.flush()
