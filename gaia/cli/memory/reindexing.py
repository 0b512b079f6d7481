"""`gaia memory reindex`: makes the vectors of all memories anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from gaia.cli.memory.options import AsJson
from gaia.cli.memory.progress import counting
from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from gaia.store.engine import Database


def reindex(as_json: AsJson = False) -> None:
    """Make the index of all memories anew, of all users. Searches go on meanwhile."""
    from gaia.cli.memory import daemon
    from gaia.errors import AlreadyRunningError, NotRunningError
    from gaia.paths import find_home
    from gaia.store.lock import DaemonLock

    home = find_home()
    runs = True
    try:
        with counting("indexing") as progress:
            daemon.reindex(home, progress)
    except NotRunningError as not_running:
        runs = False
        if there_is_a_database():
            try:
                with DaemonLock(home):
                    with_database(_mark)
            except AlreadyRunningError:
                raise not_running from None
    if as_json:
        typer.echo(json.dumps({"reindexed": runs, "running": runs}, indent=2))
    elif runs:
        typer.echo("All memories are indexed anew.")
    else:
        typer.echo("gaia does not run: its next start indexes all memories anew.")


async def _mark(database: Database) -> None:
    from gaia.clock import SystemClock
    from gaia.store import indexes

    await database.write(indexes.begin_beside_active, SystemClock().now())
