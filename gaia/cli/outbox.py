"""`gaia outbox`: replies that have not been delivered. Works whether or not gaia runs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from gaia.store.engine import Database
    from gaia.store.outbox import Listed

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Replies that have not been delivered.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]


@app.command("list")
def list_outbox(
    dead: Annotated[bool, typer.Option("--dead", help="Only what was given up.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits to be delivered, and what was given up and why."""
    from gaia.store import outbox
    from gaia.store.tables import OutboxState

    states = (OutboxState.DEAD,) if dead else (*outbox.OPEN, OutboxState.DEAD)

    async def read(database: Database) -> Sequence[Listed]:
        async with database.read() as session:
            return await outbox.listed(session, states=states)

    listed = _with_database(read) or []
    if as_json:
        typer.echo(json.dumps([_as_json(one) for one in listed], indent=2))
    elif listed:
        typer.echo(_as_table(listed))
    elif dead:
        typer.echo("Nothing was given up.")
    else:
        typer.echo("Everything has been delivered.")


@app.command()
def retry(
    outbox_ids: Annotated[
        list[int] | None, typer.Argument(metavar="[ID]...", help="As 'gaia outbox list' shows it.")
    ] = None,
    dead: Annotated[bool, typer.Option("--dead", help="All that was given up.")] = False,
    as_json: AsJson = False,
) -> None:
    """Deliver after all what was given up."""
    from gaia.cli.control import wake
    from gaia.paths import find_home

    if bool(outbox_ids) == dead:
        raise typer.BadParameter("give ids, or --dead for all of them", param_hint="ID")
    revived = _revive(None if dead else outbox_ids)
    runs = bool(revived) and wake(find_home())
    if as_json:
        typer.echo(json.dumps({"retried": list(revived), "running": runs}, indent=2))
    elif revived:
        when = "now" if runs else "when gaia runs"
        typer.echo(f"{_counted(len(revived))} will be tried again {when}.")
    else:
        typer.echo("Nothing was given up.")


def _revive(outbox_ids: Collection[int] | None) -> Sequence[int]:
    from gaia.errors import UnknownChunkError
    from gaia.store import outbox

    async def change(database: Database) -> Sequence[int]:
        async with database.write() as session:
            revived = await outbox.revive(session, outbox_ids)
            strange = sorted(set(outbox_ids or ()) - set(revived))
            if strange:
                raise UnknownChunkError(
                    f"nothing with the id {', '.join(map(str, strange))} was given up: "
                    "'gaia outbox list --dead' shows what was; nothing is tried again"
                )
            return revived

    revived = _with_database(change)
    if revived is None and outbox_ids is not None:
        raise UnknownChunkError("nothing was given up: there is no database yet")
    return revived or ()


def _with_database(action: Callable[[Database], Awaitable[T]]) -> T | None:
    """What `action` makes of the home's database; None when there is none."""
    import asyncio

    from gaia.paths import find_home
    from gaia.store.opening import open_database

    home = find_home()
    if not home.database.exists():
        return None

    async def run() -> T:
        database = await open_database(home)
        try:
            return await action(database)
        finally:
            await database.close()

    return asyncio.run(run())


def _counted(chunks: int) -> str:
    return "1 message" if chunks == 1 else f"{chunks} messages"


def _as_json(one: Listed) -> dict[str, object]:
    chunk = one.chunk
    return {
        "outbox_id": chunk.outbox_id,
        "state": chunk.state,
        "user": one.user_name,
        "channel": one.channel,
        "chat": one.chat,
        "turn_id": chunk.turn_id,
        "seq": chunk.seq,
        "characters": len(chunk.text),
        "attempts": chunk.attempts,
        "possible_repeat": chunk.repeated,
        "created_at": chunk.created_at.isoformat(),
        "not_before": chunk.not_before and chunk.not_before.isoformat(),
        "error": chunk.error,
    }


def _as_table(listed: Sequence[Listed]) -> str:
    from gaia.cli.table import columns, local_time

    return columns(
        ("ID", "STATE", "FOR", "CHANNEL", "WRITTEN", "ATTEMPTS", "CAUSE"),
        [
            (
                str(one.chunk.outbox_id),
                one.chunk.state,
                one.user_name,
                one.channel,
                local_time(one.chunk.created_at),
                str(one.chunk.attempts),
                one.chunk.error or "",
            )
            for one in listed
        ],
    )
