"""`gaia sessions`: what the sessions hold, to read, and to learn from. Works whether or not
gaia runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import ask, echo_json
from gaia.cli.digesting import digest
from gaia.cli.searching_sessions import search

if TYPE_CHECKING:
    from pydantic import JsonValue

    from gaia.ops.queries.conversations import EntryReport, SessionReport

app = typer.Typer(
    no_args_is_help=True, help="The sessions of conversations, to read and to learn from."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]

app.command()(digest)
app.command()(search)


@app.command("list")
def list_sessions(
    user: Annotated[str | None, typer.Option(help="Only this user's, by name or id.")] = None,
    as_json: AsJson = False,
) -> None:
    """List sessions, the most recently used first."""
    from gaia.ops.queries.conversations import SESSIONS
    from gaia.ops.queries.people import Whose

    answer = ask(SESSIONS, Whose(user=user))
    if as_json:
        echo_json(answer.model_dump(mode="json")["sessions"])
    elif answer.sessions:
        typer.echo(_as_table(answer.sessions))
    else:
        typer.echo("There are no sessions yet: begin one with 'gaia chat'.")


@app.command()
def show(
    session_id: Annotated[str, typer.Argument(help="As 'gaia sessions list' shows it.")],
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the last so many events.", show_default="all")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what was said in a session, and the tools that were called."""
    from gaia.ops.queries.conversations import TRANSCRIPT, WhichSession

    answer = ask(TRANSCRIPT, WhichSession(session_id=session_id, limit=limit))
    if as_json:
        echo_json(answer.model_dump(mode="json")["entries"])
    else:
        typer.echo("\n\n".join(_entry_as_text(entry, answer.user) for entry in answer.entries))


def _as_table(sessions: Sequence[SessionReport]) -> str:
    from gaia.cli.table import columns, local_time

    return columns(
        ("USER", "LAST USED", "EVENTS", "SESSION"),
        [
            (
                each.user or "(removed)",
                local_time(each.updated_at),
                str(each.events),
                each.session_id,
            )
            for each in sessions
        ],
    )


def _entry_as_text(entry: EntryReport, name: str) -> str:
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.cli.table import local_time

    who = name if entry.author == "user" else entry.author
    lines = [f"{local_time(entry.at)}  {who}"]
    lines += [entry.text] if entry.text else []
    lines += [f"calls {_use(each.tool, each.arguments)}" for each in entry.calls]
    lines += [f"result of {_use(each.tool, each.response)}" for each in entry.results]
    return strip_controls("\n".join(lines))


def _use(tool: str, content: dict[str, JsonValue]) -> str:
    return f"{tool} {json.dumps(content, ensure_ascii=False)}"
