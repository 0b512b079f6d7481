"""All queries, by the name that the control socket knows them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaia.ops.queries.conversations import SESSIONS, TRANSCRIPT, TURNS
from gaia.ops.queries.memories import FIGURES, FILE, MEMORIES, ORIGIN, PEOPLE, UPKEEP
from gaia.ops.queries.people import OWNER, REQUESTS, USERS
from gaia.ops.queries.query import Query
from gaia.ops.queries.records import CHUNKS, COSTS, DECISIONS, JOBS

QUERIES: Mapping[str, Query[Any, Any]] = {
    query.name: query
    for query in (
        *(USERS, REQUESTS, OWNER),
        *(DECISIONS, COSTS, JOBS, CHUNKS),
        *(MEMORIES, ORIGIN, FIGURES, UPKEEP, FILE, PEOPLE),
        *(SESSIONS, TRANSCRIPT, TURNS),
    )
}
