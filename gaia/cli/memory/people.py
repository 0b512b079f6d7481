"""`gaia memory people`: whom and what gaia knows of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, columns, echo_json, say, terminal_width
from gaia.cli.home import ask
from gaia.cli.memory.view import OfUser, shown_line

if TYPE_CHECKING:
    from gaia.ops.queries.memories import KnownReport, TieReport

HEADINGS = ("NAME", "KIND", "RELATION", "SINCE", "UNTIL", "ID")


def people(
    name: Annotated[
        list[str] | None, typer.Argument(help="A name, or words such as 'my sister'.")
    ] = None,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Show people and things, and what is between them since when."""
    from gaia.ops.queries.memories import PEOPLE, WhichPeople

    words = " ".join(name or ())
    found = ask(PEOPLE, WhichPeople(user=user, words=words))
    if as_json:
        echo_json(found.model_dump(mode="json"))
        return
    if not found.people:
        if words:
            told = f"holds nobody and nothing by {words!r}: 'gaia memory people' lists all"
        else:
            told = "holds no people yet: 'gaia memory list' lists what gaia was told"
        say(f"The memory of {found.user} {told}.")
        return
    rows = [_row(each, tie) for each in found.people for tie in each.relations]
    typer.echo(columns(HEADINGS, rows, width=terminal_width()))
    if found.unsure and not words:
        listed = "; ".join(f"{shown_line(a)} and {shown_line(b)}" for a, b in found.unsure)
        say(f"\nPerhaps the same: {listed}. /people in a chat asks about them.")


def _row(known: KnownReport, tie: TieReport) -> tuple[str, ...]:
    relation = " ".join(filter(None, (tie.subject, tie.predicate, tie.object)))
    return (
        shown_line(" = ".join(known.names)),
        shown_line(known.kind),
        shown_line(relation),
        f"{tie.since.astimezone():%Y-%m-%d}",
        f"{tie.until.astimezone():%Y-%m-%d}" if tie.until else "",
        str(tie.memory_id),
    )
