"""`gaia outbox`: replies that have not been delivered. Works whether or not gaia runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, columns, echo_json, local_time, say
from gaia.cli.home import ask, there_is_a_database, wake, write
from gaia.text import counted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.ops.queries.records import ChunkReport

MOST_ID = 2**63 - 1
"""As the database counts."""

app = typer.Typer(no_args_is_help=True, help="Replies that have not been delivered.")


@app.command("list")
def list_outbox(
    dead: Annotated[bool, typer.Option("--dead", help="Only what was given up.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits to be delivered, and what was given up and why."""
    from gaia.ops.queries.records import CHUNKS, WhichChunks

    answer = ask(CHUNKS, WhichChunks(dead=dead))
    if as_json:
        echo_json(answer.model_dump(mode="json")["chunks"])
    elif answer.chunks:
        typer.echo(_as_table(answer.chunks))
    elif dead:
        say("Nothing was given up, so there is nothing to try again.")
    else:
        say("Everything has been delivered: there is nothing to do.")


@app.command()
def retry(
    outbox_ids: Annotated[
        list[int] | None,
        typer.Argument(metavar="ID", max=MOST_ID, help="As 'gaia outbox list' shows it."),
    ] = None,
    dead: Annotated[bool, typer.Option("--dead", help="All that was given up.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try again to deliver what was given up."""
    if bool(outbox_ids) == dead:
        raise typer.BadParameter("give ids, or --dead for all of them", param_hint="ID")
    revived = _revive(None if dead else outbox_ids)
    runs = bool(revived) and wake()
    if as_json:
        echo_json({"retried": list(revived), "running": runs})
    elif revived:
        when = "now" if runs else "when gaia runs"
        say(f"{counted(len(revived), 'message', 'messages')} will be tried again {when}.")
    else:
        say("Nothing was given up, so there is nothing to try again.")


def _revive(outbox_ids: Collection[int] | None) -> Sequence[int]:
    from gaia.errors import UnknownChunkError
    from gaia.store import chunk_states

    def revive(session: Session, _: datetime) -> Sequence[int]:
        revived = chunk_states.revive(session, outbox_ids)
        strange = sorted(set(outbox_ids or ()) - set(revived))
        if strange:
            raise UnknownChunkError(
                f"nothing with the id {', '.join(map(str, strange))} was given up: "
                "'gaia outbox list --dead' shows what was; nothing is tried again"
            )
        return revived

    if there_is_a_database():
        return write(revive)
    if outbox_ids is not None:
        raise UnknownChunkError("nothing was given up: there is no database yet")
    return ()


def _as_table(chunks: Sequence[ChunkReport]) -> str:
    return columns(
        ("ID", "STATE", "FOR", "CHANNEL", "WRITTEN", "ATTEMPTS", "CAUSE"),
        [
            (
                str(each.outbox_id),
                each.state,
                each.user,
                each.channel,
                local_time(each.created_at),
                str(each.attempts),
                each.error or "",
            )
            for each in chunks
        ],
    )
