"""`gaia status`: what the running daemon says of itself, in columns no wider than the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import typer

from gaia.cli.console import (
    GAP,
    NARROWEST,
    AsJson,
    strip_controls,
    terminal_width,
    wants_colour,
    wrapped,
)
from gaia.text import cut

if TYPE_CHECKING:
    from gaia.errors import NotRunningError
    from gaia.ops.report import Report, StatusReport
    from gaia.ops.status_text import Line
    from gaia.paths import Home

R = TypeVar("R", bound="Report")

ANSWER_SECONDS = 10.0

SUBJECT = 11
"""The width of a line's subject: `forgetting`, and the space behind it."""

HANGING = "  "
"""Stands before the second row of a line, and those after it."""

WIDEST_NAME = 20


def status_command(
    as_json: AsJson = False,
) -> None:
    """Show whether gaia runs, what works, and what waits. Exits with 3 when it does not run:
    then the files of the home tell what waits for its next start."""
    from gaia.errors import NotRunningError
    from gaia.ops.status_text import for_owner
    from gaia.paths import find_home

    home = find_home()
    try:
        report = ask_status(home)
    except NotRunningError as exc:
        _tell_of_rest(home, exc, as_json=as_json)
        raise
    _tell(report, for_owner, as_json=as_json)


def _tell_of_rest(home: Home, why: NotRunningError, *, as_json: bool) -> None:
    """What waits, if that can be told: that gaia does not run is what matters."""
    import asyncio

    from gaia.cli.control import is_served
    from gaia.clock import SystemClock
    from gaia.ops.report_parts import for_owner, offline_report

    if is_served(home) or not (as_json or home.root.is_dir()):
        return
    report = asyncio.run(offline_report(home, SystemClock(), str(why)))
    _tell(report, for_owner, as_json=as_json)


def _tell(report: R, in_lines: Callable[[R], Sequence[Line]], *, as_json: bool) -> None:
    if as_json:
        typer.echo(report.model_dump_json(indent=2))
        return
    is_coloured = wants_colour(sys.stdout, os.environ)
    typer.echo(shown(in_lines(report), width=terminal_width(), is_coloured=is_coloured))


def ask_status(home: Home, *, answer_seconds: float = ANSWER_SECONDS) -> StatusReport:
    """What the daemon in `home` says of itself.

    Raises:
        NotRunningError: None runs, or it does not answer.
        StoreError: It cannot read gaia.db.
        WireError: It is of another version.
    """
    from gaia.cli.control import ask
    from gaia.ops.report import StatusReport

    return ask(home, "/local/status", None, answer_seconds, StatusReport)


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
    from gaia.ops.status_text import Tone

    room = max(width - len(start), NARROWEST)
    rows = wrapped(strip_controls(line.text), room, indent=HANGING)
    colour = {Tone.WARNING: "yellow", Tone.BAD: "red"}.get(line.tone) if is_coloured else None
    for number, row in enumerate(rows):
        before = " " * len(start) if number else start
        yield (before + (typer.style(row, fg=colour) if colour else row)).rstrip()
