"""`gaia status`: what the running daemon says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gaia.errors import NotRunningError
    from gaia.ops.report import StatusReport
    from gaia.ops.status_text import Line
    from gaia.paths import Home

ANSWER_SECONDS = 10.0


def status_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
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
    typer.echo(report.model_dump_json(indent=2) if as_json else _shown(for_owner(report)))


def _tell_of_rest(home: Home, why: NotRunningError, *, as_json: bool) -> None:
    """What waits, if that can be told: that gaia does not run is what matters."""
    import asyncio

    from gaia.cli.control import is_served
    from gaia.clock import SystemClock
    from gaia.errors import StoreError
    from gaia.ops.resting import for_owner, resting_report

    if is_served(home) or not home.root.is_dir():
        return
    try:
        report = asyncio.run(resting_report(home, SystemClock(), str(why)))
    except StoreError:
        return
    typer.echo(report.model_dump_json(indent=2) if as_json else _shown(for_owner(report)))


def _shown(lines: Sequence[Line]) -> str:
    import os
    import sys

    from gaia.cli.findings_text import wants_colour
    from gaia.cli.status_view import shown
    from gaia.cli.table import terminal_width

    is_coloured = wants_colour(sys.stdout, os.environ)
    return shown(lines, width=terminal_width(), is_coloured=is_coloured)


def ask_status(home: Home, *, answer_seconds: float = ANSWER_SECONDS) -> StatusReport:
    """What the daemon in `home` says of itself.

    Raises:
        NotRunningError: None runs, or it does not answer.
        StoreError: It cannot read gaia.db.
        WireError: It is of another version.
    """
    from gaia.cli.control import asking
    from gaia.ops.report import StatusReport

    with asking(home, "/local/status", None, answer_seconds) as answer:
        return StatusReport.model_validate_json(answer.read())
