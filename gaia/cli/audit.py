"""`gaia audit`: what was decided about who may talk to gaia, what was forgotten, and which
settings were changed. Works whether or not gaia runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import MOST, AsJson, columns, echo_json, local_time, say
from gaia.cli.home import ask
from gaia.cli.moments import time_of

if TYPE_CHECKING:
    from gaia.ops.queries.records import DecisionReport

LISTED = 50
"""So many are listed for a reader; a script gets all."""


def audit_command(
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            "-n",
            min=1,
            max=MOST,
            help=f"How many of the last ones: {LISTED}, or all for --json.",
        ),
    ] = None,
    action: Annotated[
        list[str] | None,
        typer.Option(help="Only of that kind, such as 'role-changed'. May be repeated."),
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Only about or by that user: a name, or an id.")
    ] = None,
    since: Annotated[
        str, typer.Option(help="Only what is not older: 90s, 30m, 1h, 2d or a date and time.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List decisions about people and settings, the latest last."""
    from gaia.ops.queries.records import DECISIONS, WhichDecisions

    actions = tuple(_known_action(name) for name in action or ())
    asked = WhichDecisions(
        limit=count or (None if as_json else LISTED),
        actions=actions,
        user=user,
        since=time_of(since),
    )
    answer = ask(DECISIONS, asked)
    if as_json:
        echo_json(answer.model_dump(mode="json")["decisions"])
    elif answer.decisions:
        typer.echo(_as_table(answer.decisions))
    elif actions or user is not None or since:
        say("Nothing of that kind has been decided: 'gaia audit' lists everything.")
    else:
        say(
            "Nothing has been decided yet. 'gaia users add' lets somebody in: that is listed here, "
            "and so is what changes settings."
        )


def _known_action(name: str) -> str:
    from gaia.store.actions import Action

    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    if wanted not in tuple(Action):
        known = ", ".join(each.replace(" ", "-") for each in Action)
        raise typer.BadParameter(f"{name!r} is none of {known}", param_hint="--action")
    return wanted


def _as_table(decisions: Sequence[DecisionReport]) -> str:
    return columns(
        ("AT", "ACTION", "BY", "WHO", "ADDRESS", "DETAIL"),
        [
            (
                local_time(each.at),
                each.action,
                each.by_name or each.by,
                each.name or each.user_id or "",
                f"{each.channel}:{each.sender}" if each.channel else "",
                each.detail,
            )
            for each in decisions
        ],
    )
