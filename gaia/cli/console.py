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
from itertools import zip_longest
from typing import Annotated, TextIO

import typer

MOST = 10**9
"""The largest number of things that a command may be asked for."""

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
GAP = "  "
"""Stands between columns."""

LONGEST_REST = 20
"""Of a longer word the beginning stays where a line is cut."""

NARROWEST = 24
"""The least room for words: a narrower terminal breaks the lines itself."""

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
    are wider than `width` are cut. Without one, what a terminal has no room for goes on in
    the next line, at a word."""
    from rich.cells import cell_len

    lines = [headings, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    room = None if width is not None else _room()
    if room is not None and sum(widths) + len(GAP) * (len(widths) - 1) > room:
        return _wrapped(headings, rows, room)
    told = (_beside_each_other(line, widths) for line in lines)
    return "\n".join(told if width is None else (cut(line, width) for line in told))


def _wrapped(headings: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> str:
    """The rows in so many columns of a terminal: cells go on below, or, where not even their
    words have room beside each other, each cell has a line of its own."""
    from rich.cells import cell_len

    lines = [headings, *rows]
    space = room - len(GAP) * (len(headings) - 1)
    columns_of = list(zip(*lines, strict=True))
    least = [
        max(cell_len(word) for cell in each for word in (*cell.split(), "")) for each in columns_of
    ]
    most = [max(map(cell_len, each)) for each in columns_of]
    if sum(least) > space:
        return "\n\n".join(_record(headings, row, room) for row in rows)
    widths = next(
        widths
        for longest in range(min(max(most), space), -1, -1)
        if sum(
            widths := [max(low, min(high, longest)) for low, high in zip(least, most, strict=True)]
        )
        <= space
    )
    told = []
    for line in lines:
        cells = [_wrap(cell, width) for cell, width in zip(line, widths, strict=True)]
        told += [_beside_each_other(parts, widths) for parts in zip_longest(*cells, fillvalue="")]
    return "\n".join(told)


def _beside_each_other(cells: Sequence[str], widths: Sequence[int]) -> str:
    from rich.cells import cell_len

    filled = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return GAP.join(filled).rstrip()


def _wrap(cell: str, width: int) -> Sequence[str]:
    """A cell in lines that end at a word."""
    from rich.cells import cell_len

    if cell_len(cell) <= width:
        return [cell]
    lines = [""]
    for word in cell.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _record(headings: Sequence[str], row: Sequence[str], room: int) -> str:
    """A row as a line for each of its cells that is not empty."""
    widest = max(map(len, headings)) + len(GAP)
    told = zip(headings, row, strict=True)
    indent = "\n" + " " * widest
    return "\n".join(
        f"{heading:<{widest}}{indent.join(_wrap(cell, max(room - widest, 1)))}"
        for heading, cell in told
        if cell
    )


def _room() -> int | None:
    """How wide the terminal is; None where a program reads what is printed."""
    return terminal_width() if sys.stdout.isatty() else None


def cut(line: str, width: int) -> str:
    """A line that is no wider than `width`; what was cut, behind a word if possible, ends in
    an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(line) <= width:
        return line
    kept = set_cell_size(line, width - 1)
    whole, space, rest = kept.rpartition(" ")
    is_within = line[len(kept)] != " " and space and len(rest) <= LONGEST_REST
    return f"{(whole if is_within else kept).rstrip()}…"


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
    width = terminal_width()
    return "\n".join(
        part for line in text.split("\n") for part in wrapped(line, width, indent=indent)
    )


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """`text` in lines that end at a word. A word that is wider than `width` stays whole, for
    copying; `indent` stands before all lines but the first."""
    lines = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


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


def ask_hidden(question: str, *, twice: bool = False) -> str:
    """A line that is typed and does not show, not even where it is pasted in the moment in which
    the question appears. Empty if there was none, but for what is to be typed `twice`."""
    given = _ask_hidden(question)
    while twice and not (given and _ask_hidden("The same again") == given):
        if given:
            say("The two are not the same.", err=True)
        given = _ask_hidden(question)
    return given


def _ask_hidden(question: str) -> str:
    if not sys.stdin.isatty():
        given: str = typer.prompt(question, default="", show_default=False, hide_input=True)
        return given
    # typer asks first, and hides afterwards: what came between was shown, and lost.
    import getpass

    try:
        return getpass.getpass(f"{question}: ")
    except (EOFError, KeyboardInterrupt):
        typer.echo(err=True)
        raise typer.Abort from None


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
