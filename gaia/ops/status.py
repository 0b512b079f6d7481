"""Status: makes the report of what works, what waits and what does not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timedelta

from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.core.digesting.digesting import Digesting
from gaia.core.handler import Handlers
from gaia.current import Current
from gaia.memory.index.index import Index
from gaia.memory.recall import Recall
from gaia.ops.report import (
    DigestsStatus,
    MemoryStatus,
    PartStatus,
    QueueStatus,
    SettingsStatus,
    StatusReport,
    UsageStatus,
    WaitStatus,
)
from gaia.ops.settings_state import SettingsState
from gaia.ops.status_text import counted, duration
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.store import digests, forgets, inbox, index_ops, indexes, outbox, usage
from gaia.store.digests import DigestCounts
from gaia.store.engine import Database
from gaia.store.index_ops import IndexBacklog
from gaia.store.users import Users

FORGETTING_LATE = timedelta(minutes=10)
"""So long after it was confirmed, a wish to forget that is not carried out is a fault to
be told. A minute does as a rule; a turn that runs meanwhile is waited for."""


class Status:
    """Makes the report. `ready` is set by the daemon's life cycle."""

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        users: Users,
        model: Current[ChatModel],
        channels: Mapping[str, Channel],
        handlers: Handlers,
        index: Index,
        recall: Current[Recall],
        digesting: Digesting,
        settings: SettingsState,
        clock: Clock,
    ) -> None:
        self.ready = False
        self._home = home
        self._database = database
        self._users = users
        self._model = model
        self._channels = channels
        self._handlers = handlers
        self._index = index
        self._recall = recall
        self._digesting = digesting
        self._settings = settings
        self._clock = clock
        self._started_at = clock.now()

    async def report(self) -> StatusReport:
        """The report as of now.

        Raises:
            StoreError: gaia.db cannot be read.
        """
        now = self._clock.now()
        users = {user.user_id: user.name for user in await self._users.list()}
        async with self._database.read() as session:
            waiting_in = await inbox.backlog(session)
            waiting_out = await outbox.backlog(session)
            today = await usage.of_day(session, now.astimezone().date())
            memories = await indexes.count_passages(session)
            unindexed = await index_ops.backlog(session)
            digested = await digests.counts(session)
            forgetting_since = await forgets.under_way_since(session)
        return StatusReport(
            version=__version__,
            home=str(self._home.root),
            pid=os.getpid(),
            at=now,
            uptime_seconds=(now - self._started_at).total_seconds(),
            ready=self.ready,
            model=self._model_status(),
            channels=tuple(
                PartStatus(name=name, ok=health.ok, detail=health.detail)
                for name, channel in self._channels.items()
                for health in (channel.health(),)
            ),
            store=PartStatus(name="store", ok=True),
            settings=self._settings_status(),
            memory=self._memory_status(memories, unindexed, now),
            recall=self._recall_status(),
            forgetting=_forgetting_status(forgetting_since, now),
            digests=self._digests_status(digested, now),
            inbox=QueueStatus(
                waiting=waiting_in.queued + waiting_in.running,
                dead=waiting_in.dead,
                oldest_seconds=_age(waiting_in.oldest, now),
            ),
            outbox=QueueStatus(
                waiting=waiting_out.open,
                dead=waiting_out.dead,
                oldest_seconds=_age(waiting_out.oldest, now),
                causes=tuple(
                    WaitStatus(waiting=each.waiting, cause=each.error)
                    for each in waiting_out.causes
                ),
            ),
            running_turns=self._handlers.running_turns(),
            users=len(users),
            usage_today=tuple(
                UsageStatus(
                    user=users.get(user_id, user_id),
                    model=used.model,
                    calls=used.calls,
                    tokens_in=used.tokens_in,
                    tokens_out=used.tokens_out,
                )
                for user_id, used in today
            ),
        )

    def _settings_status(self) -> SettingsStatus:
        health = self._settings.health()
        return SettingsStatus(
            ok=health.ok, detail=health.detail, loaded_at=self._settings.loaded_at
        )

    def _model_status(self) -> PartStatus:
        health = self._model.now.health.report()
        return PartStatus(name=self._model.now.describe(), ok=health.ok, detail=health.detail)

    def _recall_status(self) -> PartStatus:
        health = self._recall.now.health()
        return PartStatus(name="recall", ok=health.ok, detail=health.detail)

    def _memory_status(self, memories: int, unindexed: IndexBacklog, now: datetime) -> MemoryStatus:
        health = self._index.health()
        return MemoryStatus(
            enabled=self._index.enabled,
            memories=memories,
            waiting=unindexed.waiting,
            oldest_seconds=_age(unindexed.oldest, now),
            ok=health.ok,
            detail=health.detail,
        )

    def _digests_status(self, counts: DigestCounts, now: datetime) -> DigestsStatus:
        over_budget = len(self._digesting.over_budget)
        return DigestsStatus(
            enabled=self._digesting.enabled,
            waiting=counts.waiting,
            failed=counts.failed,
            over_budget=over_budget,
            detail=_digests_detail(counts, over_budget, now),
        )


def _digests_detail(counts: DigestCounts, over_budget: int, now: datetime) -> str:
    if counts.failed_since is not None:
        since = duration((now - counts.failed_since).total_seconds())
        which = counted(counts.failed, "conversation", "conversations")
        return (
            f"{which} could not be read, for {since}: {counts.error}. "
            "It is tried again each day, or by 'gaia sessions digest --retry'"
        )
    if over_budget:
        return "memory.calls_per_day is used up: the rest is read tomorrow"
    return f"the last try failed: {counts.error}" if counts.error else ""


def _forgetting_status(since: datetime | None, now: datetime) -> PartStatus:
    late = since is not None and now - since > FORGETTING_LATE
    detail = "files still hold what was to be forgotten, the log says why" if late else ""
    return PartStatus(name="forgetting", ok=not late, detail=detail)


def _age(time: datetime | None, now: datetime) -> float | None:
    return None if time is None else (now - time).total_seconds()
