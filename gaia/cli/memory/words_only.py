"""The search of a process that has no vector index: full text alone."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.clock import SystemClock
from gaia.errors import IndexUnavailableError
from gaia.memory.owner import owner
from gaia.memory.seams import Neighbour
from gaia.memory.search import Search
from gaia.ops.memory_report import SearchReport, search_report
from gaia.store.engine import Database


class NoIndex:
    """Implements `Nearest` where there is no index; `cause` tells why."""

    def __init__(self, cause: str) -> None:
        self._cause = cause

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        owner(user_id)
        raise IndexUnavailableError(self._cause)


async def search_by_words(
    database: Database, user_id: str, words: str, limit: int, *, fault: str
) -> SearchReport:
    """What full text finds; `fault` is why there is nothing more."""
    search = Search(database, NoIndex(fault), SystemClock())
    found = search_report(await search.hits(user_id, words, limit=limit))
    return found.model_copy(update={"fault": fault})
