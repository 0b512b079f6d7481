"""`gaia audit`: what was decided about who may talk to gaia. Works whether or not it runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from gaia.store.audit import Entry
    from gaia.store.engine import Database


def audit_command(
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, help="How many of the last ones.")
    ] = 50,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
) -> None:
    """List what was decided about who may talk to gaia, the latest last."""
    from gaia.store import audit

    async def read(database: Database) -> Sequence[Entry]:
        async with database.read() as session:
            return await audit.entries(session, limit=count)

    entries = with_database(read) if there_is_a_database() else ()
    if as_json:
        typer.echo(json.dumps([_as_json(entry) for entry in entries], indent=2))
    elif entries:
        typer.echo(_as_table(entries))
    else:
        typer.echo("Nothing has been decided yet.")


def _as_json(entry: Entry) -> dict[str, object]:
    return {
        "at": entry.at.isoformat(),
        "action": entry.action,
        "by": entry.actor,
        "user_id": entry.subject or None,
        "name": entry.subject_name,
        "channel": entry.address.channel if entry.address else None,
        "sender": entry.address.sender if entry.address else None,
        "detail": entry.detail,
    }


def _as_table(entries: Sequence[Entry]) -> str:
    from gaia.cli.table import columns, local_time

    return columns(
        ("AT", "ACTION", "BY", "WHO", "ADDRESS", "DETAIL"),
        [
            (
                local_time(entry.at),
                entry.action,
                entry.actor_name or entry.actor,
                entry.subject_name or entry.subject,
                str(entry.address or ""),
                entry.detail,
            )
            for entry in entries
        ],
    )
