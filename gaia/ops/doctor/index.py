"""Whether the vector index is in step with the ledger, and made as the settings say.

While a daemon runs, it says so: it alone opens the index. While none does, the tables
tell what the next start will have to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.findings import Check, Finding, ok, skipped, warning
from gaia.memory.index.factories import AUTO
from gaia.memory.index.mark import Mark
from gaia.memory.index.parts import CHROMA, local_chroma, read_fingerprint
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.report import MemoryStatus
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import MemorySettings
from gaia.store import indexes
from gaia.store.indexes import IndexBacklog, IndexState
from gaia.store.location import database_url
from gaia.store.migrations import HEAD
from gaia.store.opener import inspecting, read_revision
from gaia.text import counted, duration

NAME = "memory index"
LATE = timedelta(minutes=10)
"""A running gaia takes a memory into the index in seconds."""


@dataclass(frozen=True, slots=True)
class _Tables:
    """What the database tells of the index."""

    backlog: IndexBacklog
    memories: int
    states: Sequence[IndexState]

    @property
    def active(self) -> IndexState | None:
        """The one that searches ask."""
        return next((each for each in self.states if each.active), None)


def index_check(
    home: Home,
    memory: MemorySettings,
    daemon: Daemon,
    clock: Clock,
    reindex: Callable[[], Awaitable[str]],
) -> Check:
    """The check of the index. `reindex` has a running daemon make it again."""

    async def look() -> Sequence[Finding]:
        if not memory.enabled:
            return [ok("memory is off")]
        report = await daemon.report()
        if report is not None:
            apart = await asyncio.to_thread(_kept_apart, home)
            return [_running(report.memory, reindex), *apart]
        if await daemon.runs():
            return [skipped("gaia runs, but is too busy to answer")]
        tables = await asyncio.to_thread(_read, home)
        if tables is None:
            return [ok("there is none yet")]
        resting = await asyncio.to_thread(_resting, home, memory, tables, clock.now())
        return [*resting, *await asyncio.to_thread(_kept_apart, home)]

    return Check(NAME, look, needs=("database",))


def _running(memory: MemoryStatus, reindex: Callable[[], Awaitable[str]]) -> Finding:
    if not memory.ok:
        return skipped("it does not work at the moment: see what the daemon says")
    oldest = memory.oldest_seconds
    if oldest is not None and oldest > LATE.total_seconds():
        return warning(
            f"{memory.waiting:,} changes have been waiting for {duration(oldest)} to be indexed",
            "gaia memory reindex",
            reindex,
        )
    behind = f", {memory.waiting:,} changes behind" if memory.waiting else ", in step"
    again = f"; made again since the start: {memory.made_again}" if memory.made_again else ""
    return ok(counted(memory.memories, "memory", "memories") + behind + again)


def _read(home: Home) -> _Tables | None:
    if read_revision(home) != HEAD:
        return None
    with inspecting(home) as connection, Session(connection) as session:
        return _Tables(
            indexes.ops_backlog(session),
            indexes.count_passages(session),
            indexes.every(session),
        )


def _resting(
    home: Home, memory: MemorySettings, tables: _Tables, now: datetime
) -> Sequence[Finding]:
    active = tables.active
    memories = counted(tables.memories, "memory", "memories")
    if active is None:
        words = "to be indexed at the next start" if tables.memories else "there is nothing to find"
        return [ok(f"{memories}, {words}")]
    made_with = read_fingerprint(active.fingerprint)
    if made_with is None or not made_with.fits(memory):
        was = str(made_with) if made_with else "something that this gaia does not know"
        return [
            warning(
                f"it was made with {was}, and memory.embedder or memory.vector_store say another",
                "Nothing to do: the next start rebuilds it, and the old one answers until "
                "then. To keep it, undo the change.",
            )
        ]
    if made_with.storage == CHROMA and _is_gone(home, memory, tables):
        return [
            warning(
                f"its folder {home.memory} is gone, and there are {memories}",
                "Nothing to do: the next start rebuilds it.",
            )
        ]
    folder = local_chroma(home, memory.vector_store) if made_with.storage == CHROMA else None
    if folder is not None and (cause := Mark(folder).distrust()):
        return [warning(cause, "Nothing to do: the next start makes it again from the ledger.")]
    if tables.backlog.waiting and tables.backlog.oldest is not None:
        since = duration((now - tables.backlog.oldest).total_seconds())
        changes = counted(tables.backlog.waiting, "change", "changes")
        return [ok(f"{memories}; {changes} since {since} wait for the next start")]
    return [ok(f"{memories}, in step; made with {made_with}")]


def _is_gone(home: Home, memory: MemorySettings, tables: _Tables) -> bool:
    store = memory.vector_store
    is_local = store.provider in (CHROMA, AUTO) and not store.config
    return is_local and tables.memories > 0 and not (home.memory / "chroma").is_dir()


def _kept_apart(home: Home) -> Sequence[Finding]:
    """What is to be known of vectors in the home, where everything else is in PostgreSQL."""
    if database_url(home) is None:
        return []
    tables = _read(home)
    made_with = read_fingerprint(tables.active.fingerprint) if tables and tables.active else None
    if made_with is None or made_with.storage != CHROMA:
        return []
    return [
        ok(
            "its vectors are in this home, for one gaia alone, and not in PostgreSQL: the log "
            "of the start says why, and docs/scale.md what to do"
        )
    ]
