"""`gaia jobs`: what gaia does by itself at its times, and how that went. Works whether or not
it runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from gaia.store.engine import Database
    from gaia.store.job_runs import JobRun


def jobs_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
) -> None:
    """List the jobs of the schedule, how each went, and when it is next."""
    from gaia.cli.control import is_served
    from gaia.paths import find_home
    from gaia.store import job_runs

    async def read(database: Database) -> Sequence[JobRun]:
        async with database.read() as session:
            return await job_runs.all(session)

    runs = with_database(read) if there_is_a_database() else ()
    running = is_served(find_home())
    if as_json:
        typer.echo(json.dumps([_as_json(run, running=running) for run in runs], indent=2))
    elif runs:
        typer.echo(_as_table(runs, running=running))
        if not running:
            typer.echo("gaia does not run: what it misses, it makes up for when it runs again.")
    else:
        typer.echo("No job has been scheduled yet: gaia has not run here.")


def _as_json(run: JobRun, *, running: bool) -> dict[str, object]:
    return {
        "name": run.name,
        "due_at": run.due_at.isoformat(),
        "started_at": run.started_at and run.started_at.isoformat(),
        "finished_at": run.finished_at and run.finished_at.isoformat(),
        "late_seconds": round(run.late.total_seconds(), 1),
        "state": run.state(running=running),
        "error": run.error or None,
        "attempts": run.attempts,
        "succeeded_at": run.succeeded_at and run.succeeded_at.isoformat(),
        "next_at": run.next_at and run.next_at.isoformat(),
    }


def _as_table(runs: Sequence[JobRun], *, running: bool) -> str:
    from gaia.cli.table import columns, cut, local_time, terminal_width
    from gaia.store.job_runs import WORTH_SAYING, in_words

    table = columns(
        ("JOB", "LAST RUN", "LATE BY", "WENT", "NEXT RUN"),
        [
            (
                run.name,
                local_time(run.started_at) if run.started_at else "",
                in_words(run.late) if run.late >= WORTH_SAYING else "",
                run.state(running=running),
                local_time(run.next_at) if run.next_at else "",
            )
            for run in runs
        ],
    )
    errors = [cut(f"{run.name}: {run.error}", terminal_width()) for run in runs if run.error]
    return "\n".join([table, *errors])
