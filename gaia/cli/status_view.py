"""The status report as a terminal shows it: in columns, no wider than the terminal, and what
is wrong in colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

import typer

from gaia.cli.chat.control_characters import strip_controls
from gaia.ops.status_text import Line, Tone
from gaia.text import cut

COLOURS: Mapping[Tone, str | None] = {Tone.PLAIN: None, Tone.WARNING: "yellow", Tone.BAD: "red"}
SUBJECT = 11
"""The width of a line's subject: `forgetting`, and the space behind it."""
GAP = "  "
HANGING = "  "
"""Stands before the second row of a line, and those after it."""
WIDEST_NAME = 20
NARROWEST = 24
"""The least room for words: a narrower terminal breaks the lines itself."""


def shown(lines: Sequence[Line], *, width: int, is_coloured: bool) -> str:
    """The lines. A subject stands before the first of its lines, its names below each other."""
    told: list[str] = []
    before = ""
    for line in lines:
        subject = "" if line.subject == before else line.subject
        before = line.subject
        start = f"{subject:<{SUBJECT}}{_name(line, lines)}"
        told += _rows(start, line, width=width, is_coloured=is_coloured)
    return "\n".join(told)


def _name(line: Line, lines: Sequence[Line]) -> str:
    """What the line is about, as wide as the others of its subject."""
    names = [_cut(each.name) for each in lines if each.subject == line.subject and each.name]
    return f"{_cut(line.name):<{max(map(len, names))}}{GAP}" if names else ""


def _cut(name: str) -> str:
    return cut(strip_controls(name), WIDEST_NAME)


def _rows(start: str, line: Line, *, width: int, is_coloured: bool) -> Iterator[str]:
    """A line as rows of the terminal; words stay whole, for copying."""
    room = max(width - len(start), NARROWEST)
    text = strip_controls(line.text)
    rows = textwrap.wrap(
        text, room, subsequent_indent=HANGING, break_long_words=False, break_on_hyphens=False
    )
    colour = COLOURS[line.tone] if is_coloured else None
    for number, row in enumerate(rows or [""]):
        before = " " * len(start) if number else start
        yield (before + (typer.style(row, fg=colour) if colour else row)).rstrip()
