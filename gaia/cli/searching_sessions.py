"""`gaia sessions search`: what was said in conversations, by words and by time. Works whether
or not gaia runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import ask, echo_json

if TYPE_CHECKING:
    from gaia.ops.queries.conversations import TurnReport

BESIDE_WORDS = 20
"""Columns of a table that the time takes, with what is between the columns."""

LEAST_EXCERPT = 20


def search(
    words: Annotated[
        list[str] | None, typer.Argument(help="What to look for.", show_default="the latest")
    ] = None,
    since: Annotated[
        str, typer.Option(help="First day, month or year: 2026-06-30, 2026-06 or June.")
    ] = "",
    until: Annotated[str, typer.Option(help="Last day, month or year.")] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=200, help="How many, at most.")
    ] = 10,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            "-u",
            metavar="NAME",
            help="Whose conversations, by name or id; a group has them too.",
            show_default="the only person",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
) -> None:
    """Find what was said in conversations, the best first; without words the latest."""
    from gaia.cli.table import terminal_width
    from gaia.clock import SystemClock
    from gaia.memory.periods import between
    from gaia.ops.queries.conversations import TURNS, WhichTurns

    begins, ends = between(since, until, SystemClock().now())
    excerpt = max(LEAST_EXCERPT, (terminal_width() - BESIDE_WORDS) // 2)
    asked = WhichTurns(
        user=user,
        words=" ".join(words or ()),
        since=begins,
        until=ends,
        limit=limit,
        excerpt=excerpt,
    )
    answer = ask(TURNS, asked)
    if as_json:
        excerpts = {"asked_excerpt", "answer_excerpt"}
        echo_json([each.model_dump(mode="json", exclude=excerpts) for each in answer.turns])
    elif answer.turns:
        typer.echo(_as_table(answer.turns, excerpt))
    else:
        typer.echo(f"Nothing like that is in the conversations of {answer.user}.")


def _as_table(turns: Sequence[TurnReport], widest: int) -> str:
    from gaia.cli.memory.showing import shown_line
    from gaia.cli.table import columns, cut

    rows = [
        (
            f"{turn.said_at.astimezone():%Y-%m-%d %H:%M}",
            cut(shown_line(turn.asked_excerpt), widest),
            cut(shown_line(turn.answer_excerpt), widest),
        )
        for turn in turns
    ]
    return columns(("WHEN", "SAID", "ANSWERED"), rows)
