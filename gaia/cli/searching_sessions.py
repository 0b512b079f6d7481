"""`gaia sessions search`: what was said in conversations, by words and by time. Works whether
or not gaia runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.memory.opening import read_memory

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.memory.archive import Hit
    from gaia.store.identities import User

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
    from gaia.memory import archive
    from gaia.memory.periods import between

    begins, ends = between(since, until, SystemClock().now())
    excerpt = max(LEAST_EXCERPT, (terminal_width() - BESIDE_WORDS) // 2)

    async def find(session: AsyncSession, owner: User) -> tuple[str, Sequence[Hit]]:
        found = await archive.search(
            session,
            owner.user_id,
            words=" ".join(words or ()),
            since=begins,
            until=ends,
            limit=limit,
            excerpt=excerpt,
        )
        return owner.name, found

    name, hits = read_memory(user, find)
    if as_json:
        typer.echo(json.dumps([_as_json(hit) for hit in hits], indent=2))
    elif hits:
        typer.echo(_as_table(hits, excerpt))
    else:
        typer.echo(f"Nothing like that is in the conversations of {name}.")


def _as_table(hits: Sequence[Hit], widest: int) -> str:
    from gaia.cli.memory.showing import shown_line
    from gaia.cli.table import columns, cut

    rows = [
        (
            f"{hit.said_at.astimezone():%Y-%m-%d %H:%M}",
            cut(shown_line(hit.asked), widest),
            cut(shown_line(hit.answer), widest),
        )
        for hit in hits
    ]
    return columns(("WHEN", "SAID", "ANSWERED"), rows)


def _as_json(hit: Hit) -> dict[str, object]:
    """The turn as a whole."""
    return {
        "said_at": hit.said_at.isoformat(),
        "asked": hit.turn.asked,
        "answer": hit.turn.answer,
        "session_id": hit.turn.session_id,
        "turn_id": hit.turn.turn_id,
    }
