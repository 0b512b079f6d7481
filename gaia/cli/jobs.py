"""`gaia jobs`: what gaia does by itself at its times, and how that went. Works whether or not
it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from gaia.cli.console import AsJson, columns, cut, echo_json, local_time, say, terminal_width
from gaia.cli.home import ask

if TYPE_CHECKING:
    from gaia.ops.queries.records import JobReport


def jobs_command(
    as_json: AsJson = False,
) -> None:
    """List the jobs of the schedule: how each went, when it is next."""
    from gaia.ops.queries.query import Everything
    from gaia.ops.queries.records import JOBS

    answer = ask(JOBS, Everything())
    if as_json:
        echo_json(answer.model_dump(mode="json")["jobs"])
    elif answer.jobs:
        typer.echo(_as_table(answer.jobs))
        if not answer.running:
            say("gaia does not run: it makes up for missed runs once 'gaia serve' starts it.")
    else:
        say("No job has been scheduled yet, since gaia has not run here: 'gaia serve' starts it.")


def _as_table(jobs: Sequence[JobReport]) -> str:
    table = columns(
        ("JOB", "LAST RUN", "DELAY", "RESULT", "NEXT RUN"),
        [
            (
                job.name,
                local_time(job.started_at) if job.started_at else "",
                _lateness(job.late_seconds),
                job.state,
                local_time(job.next_at) if job.next_at else "",
            )
            for job in jobs
        ],
    )
    errors = [cut(f"{job.name}: {job.error}", terminal_width()) for job in jobs if job.error]
    return "\n".join([table, *errors])


def _lateness(seconds: float) -> str:
    from gaia.ops.status_text import WORTH_SAYING_SECONDS
    from gaia.text import duration

    return duration(seconds) if seconds >= WORTH_SAYING_SECONDS else ""
