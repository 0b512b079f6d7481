"""`gaia logs`: what gaia logged, and what it logs. Works whether or not it runs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import MOST, in_whole_words
from gaia.cli.moments import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gaia.logs.line import Line

LINES = 50
"""So many lines unless a turn or a time is asked for."""

TURN = re.compile(r"\W*(?:turn)?\W*(\w+)\W*")
"""A turn's id as sentences and the log have it, with what stands around it."""


class Level(StrEnum):
    """How severe a line is."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


def logs_command(
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what is written, until Ctrl-C.")
    ] = False,
    count: Annotated[
        int | None,
        typer.Option(
            "--lines",
            "-n",
            min=1,
            max=MOST,
            help=f"How many of the last lines. {LINES}, unless --turn or --since is given.",
            show_default=False,
        ),
    ] = None,
    turn: Annotated[
        str, typer.Option(help="Only the lines of a turn, by its id or how that begins.")
    ] = "",
    level: Annotated[
        Level, typer.Option(case_sensitive=False, help="The least severe lines to show.")
    ] = Level.DEBUG,
    since: Annotated[
        str, typer.Option(help="Only what is not older: 90s, 30m, 1h, 2d or a date and time.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line for a script to read.")
    ] = False,
) -> None:
    """Show what was logged last."""
    from gaia.logs.line import LEVELS
    from gaia.ops.logs import LogReader, Wanted
    from gaia.ops.logs import follow as following
    from gaia.paths import find_home

    wanted = Wanted(_turn(turn), LEVELS.index(level), time_of(since))
    if count is None and not turn and not since:
        count = LINES
    folder = find_home().logs
    form = _form(as_json=as_json)
    with LogReader(folder, wanted) as reader:
        lines = reader.last(count)
        if lines:
            _show(lines, form)
        else:
            lack = (
                f"There is no such line in {folder}: 'gaia logs' alone shows the latest."
                if turn or since or level is not Level.DEBUG
                else f"Nothing has been logged in {folder} yet: gaia writes there while it runs."
            )
            typer.echo(lack, err=True)
        if follow and folder.is_dir():
            for lines in following(reader, folder):
                _show(lines, form)


def _show(lines: Sequence[Line], form: Callable[[Line], str]) -> None:
    if lines:
        typer.echo(in_whole_words("\n".join(map(form, lines)), sys.stdout))


def _form(*, as_json: bool) -> Callable[[Line], str]:
    from gaia.logs.line import as_json as json_form
    from gaia.logs.line import as_text, coloured, wants_colour

    if as_json:
        return json_form
    if not wants_colour(sys.stdout, os.environ):
        return as_text
    return lambda line: coloured(as_text(line), line.level)


def _turn(text: str) -> str:
    found = TURN.fullmatch(text)
    if text and found is None:
        raise typer.BadParameter(
            f"{text!r} is no turn's id: take it from the message, such as 3f2a9c17d0",
            param_hint="--turn",
        )
    return found[1].lower() if found else ""
