"""`gaia memory upkeep`: what each night's jobs did with memories, by day and by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gaia.cli.console import AsJson, columns, echo_json, local_time, say
from gaia.cli.home import ask
from gaia.cli.memory.view import OfUser

if TYPE_CHECKING:
    from gaia.ops.queries.memories import UpkeepRunReport

DEEDS = {"archived": "archived", "ended": "merged", "wrote": "waits for a yes"}


def upkeep(user: OfUser = None, as_json: AsJson = False) -> None:
    """List what gaia did with memories at night. /undo takes back the last of it."""
    from gaia.ops.queries.memories import UPKEEP
    from gaia.ops.queries.people import Whose

    answer = ask(UPKEEP, Whose(user=user))
    if as_json:
        echo_json(answer.model_dump(mode="json")["runs"])
    elif answer.runs:
        rows = [(local_time(run.at), run.job, _deeds(run)) for run in answer.runs]
        typer.echo(columns(("WHEN", "JOB", "MEMORIES"), rows))
    else:
        say(
            f"Nothing has been done with the memories of {answer.user} at night yet: "
            "gaia looks after them while 'gaia serve' runs."
        )


def _deeds(run: UpkeepRunReport) -> str:
    told: list[str] = []
    for deed, words in DEEDS.items():
        numbers = [
            f"#{step.memory_id}" if step.heir is None else f"#{step.memory_id} into #{step.heir}"
            for step in run.steps
            if step.deed == deed
        ]
        told += [f"{words}: {', '.join(numbers)}"] if numbers else []
    return "; ".join([*told, *(["undone"] if run.undone_at else [])])
