"""`gaia sessions`: what the sessions hold, to read, and to learn from. Works whether or not
gaia runs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.digesting import digest
from gaia.cli.searching_sessions import search

if TYPE_CHECKING:
    from gaia.paths import Home
    from gaia.sessions.service import SessionStore, SessionSummary
    from gaia.sessions.transcript import Entry
    from gaia.store.users import Users

app = typer.Typer(
    no_args_is_help=True, help="The sessions of conversations, to read and to learn from."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]


@dataclass(frozen=True, slots=True)
class _Stores:
    users: Users
    sessions: SessionStore


app.command()(digest)
app.command()(search)


@app.command("list")
def list_sessions(
    user: Annotated[str | None, typer.Option(help="Only this user's, by name or id.")] = None,
    as_json: AsJson = False,
) -> None:
    """List sessions, the most recently used first."""
    import asyncio

    listed, names = asyncio.run(_list(user))
    if as_json:
        typer.echo(json.dumps([_summary_as_json(one, names) for one in listed], indent=2))
    elif listed:
        typer.echo(_as_table(listed, names))
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
    import asyncio

    entries, name = asyncio.run(_read(session_id, limit))
    if as_json:
        typer.echo(json.dumps([_entry_as_json(entry) for entry in entries], indent=2))
    else:
        typer.echo("\n\n".join(_entry_as_text(entry, name) for entry in entries))


async def _list(user: str | None) -> tuple[Sequence[SessionSummary], Mapping[str, str]]:
    async with AsyncExitStack() as stack:
        stores = await _open(stack)
        if stores is None:
            return (), {}
        user_id = None if user is None else (await stores.users.find(user)).user_id
        names = {known.user_id: known.name for known in await stores.users.list()}
        return await stores.sessions.list(user_id), names


async def _read(session_id: str, limit: int | None) -> tuple[Sequence[Entry], str]:
    from gaia.errors import UnknownSessionError
    from gaia.sessions.transcript import transcript

    async with AsyncExitStack() as stack:
        stores = await _open(stack)
        known = {one.session_id: one for one in await stores.sessions.list()} if stores else {}
        if stores is None or session_id not in known:
            near = difflib.get_close_matches(session_id, known, n=3)
            hint = f"did you mean {', '.join(near)}?" if near else "see 'gaia sessions list'"
            raise UnknownSessionError(f"there is no session {session_id!r}: {hint}")
        user_id = known[session_id].user_id
        events = await stores.sessions.events(user_id, session_id, limit=limit)
        names = {user.user_id: user.name for user in await stores.users.list()}
        return transcript(events or ()), names.get(user_id, user_id)


async def _open(stack: AsyncExitStack) -> _Stores | None:
    """The stores of the home, closed with `stack`; None when there is nothing to read."""
    from gaia.clock import SystemClock
    from gaia.paths import find_home
    from gaia.sessions.opening import open_sessions
    from gaia.store.opening import open_database
    from gaia.store.users import Users

    home = find_home()
    if not _has_stores(home):
        return None
    database = await open_database(home)
    stack.push_async_callback(database.close)
    sessions = await open_sessions(home)
    stack.push_async_callback(sessions.close)
    return _Stores(Users(database, SystemClock()), sessions)


def _has_stores(home: Home) -> bool:
    return home.database.exists() and home.sessions_database.exists()


def _as_table(listed: Sequence[SessionSummary], names: Mapping[str, str]) -> str:
    from gaia.cli.table import columns, local_time

    return columns(
        ("USER", "LAST USED", "EVENTS", "SESSION"),
        [
            (
                names.get(one.user_id, "(removed)"),
                local_time(one.updated_at),
                str(one.events),
                one.session_id,
            )
            for one in listed
        ],
    )


def _summary_as_json(one: SessionSummary, names: Mapping[str, str]) -> dict[str, object]:
    return {
        "session_id": one.session_id,
        "user_id": one.user_id,
        "user": names.get(one.user_id),
        "events": one.events,
        "updated_at": one.updated_at.isoformat(),
    }


def _entry_as_text(entry: Entry, name: str) -> str:
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.cli.table import local_time

    who = name if entry.author == "user" else entry.author
    lines = [f"{local_time(entry.at)}  {who}"]
    lines += [entry.text] if entry.text else []
    lines += [f"calls {call}" for call in entry.calls]
    lines += [f"result of {result}" for result in entry.results]
    return strip_controls("\n".join(lines))


def _entry_as_json(entry: Entry) -> dict[str, object]:
    return {
        "at": entry.at.isoformat(),
        "author": entry.author,
        "text": entry.text,
        "calls": [{"tool": call.tool, "arguments": dict(call.content)} for call in entry.calls],
        "results": [{"tool": use.tool, "response": dict(use.content)} for use in entry.results],
        "turn_id": entry.turn_id,
    }
