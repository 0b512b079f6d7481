"""`gaia sessions`: what the sessions hold, to read, and to learn from. Works whether or not
gaia runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import (
    MOST,
    AsJson,
    columns,
    cut,
    echo_json,
    local_time,
    say,
    strip_controls,
    terminal_width,
)
from gaia.cli.home import ask, there_is_a_database, with_database

if TYPE_CHECKING:
    from pydantic import JsonValue

    from gaia.cli.progress import Told
    from gaia.ops.queries.conversations import EntryReport, SessionReport, TurnReport
    from gaia.ops.wire import DigestOutcome
    from gaia.paths import Home
    from gaia.store.engine import Database

app = typer.Typer(
    no_args_is_help=True, help="The sessions of conversations, to read and to learn from."
)

OneUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        "-u",
        metavar="NAME",
        help="Whose conversations, by name or id; a group has them too.",
        show_default="yourself, or the only person",
    ),
]

AllUsers = Annotated[bool, typer.Option("--all", help="Of all users.")]

BESIDE_WORDS = 20
"""Columns of a table that the time takes, with what is between the columns."""

LEAST_EXCERPT = 20

CONTEXT = "CONTEXT"
"""The column that a table has where something was said in a context."""


@app.command("list")
def list_sessions(
    user: OneUser = None,
    all_users: AllUsers = False,
    as_json: AsJson = False,
) -> None:
    """List your sessions, the most recently used first."""
    from gaia.ops.queries.conversations import SESSIONS, WhichSessions

    _check_whose(user, all_users=all_users)
    answer = ask(SESSIONS, WhichSessions(user=user, of_all=all_users))
    if as_json:
        echo_json(answer.model_dump(mode="json")["sessions"])
    elif answer.sessions:
        typer.echo(_as_table(answer.sessions))
    else:
        say(
            "There are no sessions now. One begins with 'gaia chat', and goes when it has been "
            "learned from: 'gaia sessions search' finds what was said."
        )


@app.command()
def show(
    session: Annotated[
        str | None,
        typer.Argument(
            help="Its id, or the name of a user for their latest.", show_default="your latest"
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Only the last so many events.", show_default="all"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what was said in a session, and the tools that were called."""
    from gaia.ops.queries.conversations import TRANSCRIPT, WhichSession

    answer = ask(TRANSCRIPT, WhichSession(session_id=session, limit=limit))
    if as_json:
        echo_json(answer.model_dump(mode="json")["entries"])
    else:
        typer.echo("\n\n".join(_entry_as_text(entry, answer.user) for entry in answer.entries))


def _check_whose(user: str | None, *, all_users: bool) -> None:
    if user is not None and all_users:
        raise typer.BadParameter("say whose: --user NAME, or --all")


def _as_table(sessions: Sequence[SessionReport]) -> str:
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
    who = name if entry.author == "user" else entry.author
    lines = [f"{local_time(entry.at)}  {who}"]
    lines += [entry.text] if entry.text else []
    lines += [f"calls {_use(each.tool, each.arguments)}" for each in entry.calls]
    lines += [f"result of {_use(each.tool, each.response)}" for each in entry.results]
    return strip_controls("\n".join(lines))


def _use(tool: str, content: dict[str, JsonValue]) -> str:
    return f"{tool} {json.dumps(content, ensure_ascii=False)}"


@app.command()
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
    user: OneUser = None,
    as_json: AsJson = False,
) -> None:
    """Find what was said, the best first. Without words the latest."""
    from datetime import UTC, datetime

    from gaia.memory.dates import between
    from gaia.ops.queries.conversations import TURNS, WhichTurns

    begins, ends = between(since, until, datetime.now(UTC))
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
        typer.echo(_turn_table(answer.turns, excerpt))
    else:
        say(
            f"Nothing like that is in the conversations of {answer.user}: "
            "'gaia sessions search' alone shows the latest."
            if words or since or until
            else f"There are no conversations of {answer.user} yet: begin one with 'gaia chat'."
        )


def _turn_table(turns: Sequence[TurnReport], widest: int) -> str:
    from gaia.cli.memory.view import shown_line

    contexts = [each.context if each.context != "global" else "" for each in turns]
    if any(contexts):
        taken = max(map(len, (CONTEXT, *contexts))) + 2
        widest = max(LEAST_EXCERPT, widest - -(-taken // 2))
    rows = [
        (
            f"{turn.said_at.astimezone():%Y-%m-%d %H:%M}",
            cut(shown_line(turn.asked_excerpt), widest),
            cut(shown_line(turn.answer_excerpt), widest),
            context,
        )
        for turn, context in zip(turns, contexts, strict=True)
    ]
    table = [("WHEN", "SAID", "ANSWERED", CONTEXT), *rows]
    heading, *shown = table if any(contexts) else [row[:-1] for row in table]
    return columns(heading, shown)


@app.command()
def digest(
    user: OneUser = None,
    all_users: AllUsers = False,
    retry: Annotated[bool, typer.Option(help="Only what could not be read before.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn from conversations now. Otherwise gaia waits until they idle; they begin again
    with it."""
    from gaia.cli.progress import counting
    from gaia.errors import NotRunningError
    from gaia.ops.queries.people import OWNER, USERS, Whose
    from gaia.ops.queries.query import Everything
    from gaia.paths import find_home

    _check_whose(user, all_users=all_users)
    if not there_is_a_database():
        _tell_left(0, as_json=as_json)
        return
    is_of_all = all_users or (retry and user is None)
    user_id = None if is_of_all else ask(OWNER, Whose(user=user)).user_id
    names = {each.user_id: each.name for each in ask(USERS, Everything()).users}
    home = find_home()
    try:
        with counting("reading") as progress:
            outcomes = _ask_daemon(home, user_id, progress, retry=retry)
    except NotRunningError:
        waiting = with_database(lambda database: _seal_apart(database, user_id, retry=retry))
        _tell_left(waiting, as_json=as_json)
        return
    _tell(outcomes, names, as_json=as_json)


def _ask_daemon(
    home: Home, user_id: str | None, progress: Told, *, retry: bool
) -> Sequence[DigestOutcome]:
    from gaia.cli import control
    from gaia.errors import LearningOffError, NotRunningError
    from gaia.ops.wire import DIGEST_PATH, DigestRequest, DigestStep

    request = DigestRequest(user_id=user_id, retry=retry)
    for step in control.steps(home, DIGEST_PATH, request.model_dump_json(), DigestStep):
        if step.error:
            raise LearningOffError(step.error)
        if step.outcomes is not None:
            return step.outcomes
        progress(step.done, step.total)
    raise NotRunningError("gaia ended before all was read: its next start goes on with it")


async def _seal_apart(database: Database, user_id: str | None, *, retry: bool) -> int:
    """Seal what the next daemon is to read; returns how much that is."""
    from gaia.clock import SystemClock
    from gaia.digest.seal import OFF, seal_now
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    memory = load_settings(find_home()).settings.memory
    if not (memory.enabled and memory.auto_ingest):
        raise OFF
    return len(await database.write(seal_now, user_id, SystemClock().now(), retry=retry))


def _tell_left(waiting: int, *, as_json: bool) -> None:
    from gaia.text import counted

    if as_json:
        echo_json({"running": False, "waiting": waiting, "digests": []})
    elif waiting:
        which = counted(waiting, "conversation", "conversations")
        say(f"gaia does not run: its next start reads {which}.")
    else:
        say("There is nothing to read.")


def _tell(outcomes: Sequence[DigestOutcome], names: Mapping[str, str], *, as_json: bool) -> None:
    if as_json:
        told = [each.model_dump() | {"user": names.get(each.user_id)} for each in outcomes]
        echo_json({"running": True, "waiting": 0, "digests": told})
    elif not outcomes:
        say("There is nothing to read.")
    for each in () if as_json else outcomes:
        say(f"{names.get(each.user_id, '(removed)')}: {_in_words(each)}")
    if any(each.state != "cleared" for each in outcomes):
        raise typer.Exit(1)


def _in_words(outcome: DigestOutcome) -> str:
    from gaia.text import counted

    if outcome.state == "cleared":
        learned = counted(outcome.learned, "memory", "memories")
        return f"{learned} learned, {outcome.changed} changed"
    if outcome.state == "failed":
        return (
            f"could not be read, and is tried again tomorrow: {outcome.error}. "
            "'gaia sessions digest --retry' tries at once"
        )
    if outcome.error:
        return f"is tried again in a few minutes: {outcome.error}"
    if outcome.waits:
        return "waits for tomorrow: a budget of today is used up, and 'gaia status' says which"
    return "waits to be read: messages that are still to be answered come first"
