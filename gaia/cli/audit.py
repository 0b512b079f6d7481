"""`gaia audit`: what was decided about who may talk to gaia, what was forgotten, and which
settings were changed. Works whether or not gaia runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.store.audit import Entry
    from gaia.store.engine import Database

LISTED = 50
"""So many are listed for a reader; a script gets all."""

DATE_FORMATS = ["%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"]


def audit_command(
    count: Annotated[
        int | None,
        typer.Option(
            "--count", "-n", min=1, help=f"How many of the last ones: {LISTED}, or all for --json."
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
        datetime | None, typer.Option(formats=DATE_FORMATS, help="Only since then, local time.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
) -> None:
    """List what was decided on people and settings, the latest last."""
    from gaia.store import audit

    actions = [_known_action(name) for name in action or ()]
    limit = count or (None if as_json else LISTED)

    async def read(database: Database) -> Sequence[Entry]:
        async with database.read() as session:
            return await audit.entries(
                session,
                limit=limit,
                actions=actions,
                user_id=None if user is None else await _user_id(session, user),
                since=None if since is None else since.astimezone(),
            )

    entries = with_database(read) if there_is_a_database() else ()
    if as_json:
        typer.echo(json.dumps([_as_json(entry) for entry in entries], indent=2))
    elif entries:
        typer.echo(_as_table(entries))
    elif actions or user is not None or since is not None:
        typer.echo("Nothing of that kind has been decided.")
    else:
        typer.echo("Nothing has been decided yet.")


def _known_action(name: str) -> str:
    from gaia.store.audit import Action

    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    if wanted not in tuple(Action):
        known = ", ".join(each.replace(" ", "-") for each in Action)
        raise typer.BadParameter(f"{name!r} is none of {known}", param_hint="--action")
    return wanted


async def _user_id(session: AsyncSession, name_or_id: str) -> str:
    """The id of a user; one of somebody who was removed is taken as it is."""
    from gaia.errors import UnknownUserError
    from gaia.store import identities
    from gaia.store.names import USER_ID

    try:
        return (await identities.find(session, name_or_id)).user_id
    except UnknownUserError:
        if USER_ID.fullmatch(name_or_id):
            return name_or_id
        raise


def _as_json(entry: Entry) -> dict[str, object]:
    return {
        "at": entry.at.isoformat(),
        "action": entry.action,
        "by": entry.actor,
        "by_name": entry.actor_name,
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
