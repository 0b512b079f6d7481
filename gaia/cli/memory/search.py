"""`gaia memory search` and `reindex`: a running daemon does both, since it alone opens the
vector index; without one, words are searched for in the full text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say
from gaia.cli.home import ask, there_is_a_database, with_database
from gaia.cli.memory.view import OfUser, row, table
from gaia.cli.progress import counting

if TYPE_CHECKING:
    from gaia.cli.progress import Told
    from gaia.memory.protocols import Neighbour
    from gaia.ops.wire import HitReport, SearchReport
    from gaia.paths import Home
    from gaia.store.engine import Database

EXPLANATION_INDENT = "    "
SEARCH_SECONDS = 20.0


def search(
    words: Annotated[list[str], typer.Argument(help="What to look for; a question will do.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=200, help="How many, at most.")
    ] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each was found, and what it scored.")
    ] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Find memories, the best first."""

    from gaia.ops.queries.people import OWNER, Whose

    owner = ask(OWNER, Whose(user=user))
    report = _found(owner.user_id, " ".join(words), limit)
    if report.fault:
        say(f"searched by words alone: {report.fault}", err=True)
    if as_json:
        typer.echo(report.model_dump_json(indent=2, ensure_ascii=True))
    elif not report.hits:
        say(
            f"Nothing like that is in the memory of {owner.name}: "
            "'gaia memory list' lists everything."
        )
    elif explain:
        typer.echo(_explained(report.hits))
    else:
        typer.echo(_as_table(report.hits))


def _found(user_id: str, words: str, limit: int) -> SearchReport:
    """What the daemon finds; without one, what full text alone does."""
    from gaia.errors import NotRunningError
    from gaia.paths import find_home

    try:
        return search_by_daemon(find_home(), user_id, words, limit)
    except NotRunningError as exc:
        fault = str(exc)
        return with_database(
            lambda database: search_by_words(database, user_id, words, limit, fault=fault)
        )


def _as_table(hits: Sequence[HitReport]) -> str:
    return table([row(h.memory_id, h.said_at, h.kind, h.text, h.sensitive) for h in hits])


def _explained(hits: Sequence[HitReport]) -> str:
    """Each hit as the table has it, with its reasons below."""
    first, *lines = _as_table(hits).split("\n")
    told = [first]
    for line, hit in zip(lines, hits, strict=True):
        told += [line, *(f"{EXPLANATION_INDENT}{reason}" for reason in hit.reasons), ""]
    return "\n".join(told[:-1])


class NoIndex:
    """Implements `Nearest` where there is no index; `cause` tells why."""

    def __init__(self, cause: str) -> None:
        self._cause = cause

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        from gaia.errors import IndexUnavailableError
        from gaia.memory.owner import owner

        owner(user_id)
        raise IndexUnavailableError(self._cause)


async def search_by_words(
    database: Database, user_id: str, words: str, limit: int, *, fault: str
) -> SearchReport:
    """What full text finds; `fault` is why there is nothing more."""
    from gaia.clock import SystemClock
    from gaia.memory.search.search import Search
    from gaia.ops.wire import search_report

    search = Search(database, NoIndex(fault), SystemClock())
    found = search_report(await search.hits(user_id, words, limit=limit))
    return found.model_copy(update={"fault": fault})


def reindex(as_json: AsJson = False) -> None:
    """Make the index of all memories again, of all users. Searches go on meanwhile."""
    from gaia.errors import AlreadyRunningError, NotRunningError
    from gaia.paths import find_home
    from gaia.store.lock import DaemonLock

    home = find_home()
    runs = True
    try:
        with counting("indexing") as progress:
            reindex_by_daemon(home, progress)
    except NotRunningError as not_running:
        runs = False
        if there_is_a_database():
            try:
                with DaemonLock(home):
                    with_database(_mark)
            except AlreadyRunningError:
                raise not_running from None
    if as_json:
        echo_json({"reindexed": runs, "running": runs})
    elif runs:
        say("All memories are indexed again.")
    else:
        say("gaia does not run: its next start indexes all memories again.")


async def _mark(database: Database) -> None:
    from gaia.clock import SystemClock
    from gaia.store import indexes

    await database.write(indexes.begin_beside_active, SystemClock().now())


def search_by_daemon(home: Home, user_id: str, words: str, limit: int) -> SearchReport:
    """What a running daemon finds.

    Raises:
        NotRunningError: None runs, or it does not answer.
        WireError: It is of another version.
    """
    from gaia.cli import control
    from gaia.ops.wire import SEARCH_PATH, SearchQuestion, SearchReport

    question = SearchQuestion(user_id=user_id, words=words, limit=limit)
    body = question.model_dump_json()
    return control.ask(home, SEARCH_PATH, body, SEARCH_SECONDS, SearchReport)


def reindex_by_daemon(home: Home, progress: Told) -> None:
    """Have a running daemon index all memories again, and return when that is done.

    Raises:
        NotRunningError: None runs, or it ended meanwhile.
        IndexUnavailableError: It cannot be done for now.
        WireError: The daemon is of another version.
    """
    from gaia.cli import control
    from gaia.errors import IndexUnavailableError, NotRunningError
    from gaia.ops.wire import REINDEX_PATH, ReindexStep

    for step in control.steps(home, REINDEX_PATH, "", ReindexStep):
        if step.error:
            raise IndexUnavailableError(step.error)
        if step.finished:
            return
        progress(step.done, step.total)
    raise NotRunningError("gaia ended before all was indexed: its next start goes on with it")
