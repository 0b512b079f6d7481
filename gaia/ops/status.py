"""Status: makes the report of what works, what waits and what does not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy.orm import Session

from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.clock import within
from gaia.core.handler import Handlers
from gaia.core.shares import Shares
from gaia.digest.worker import DigestWorker
from gaia.errors import StoreError, VanishedError
from gaia.memory.index.index import Index
from gaia.memory.search.recall import Recall
from gaia.messages import Health
from gaia.ops import mounts
from gaia.ops import report_parts as parts
from gaia.ops.backup.archives import archives_in, backup_folder
from gaia.ops.clock_watch import ClockWatch
from gaia.ops.report import (
    BackupStatus,
    ChannelStatus,
    DigestsStatus,
    MemoryStatus,
    PartStatus,
    ProcessStatus,
    SettingsStatus,
    StatusReport,
)
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.settings.schema import BackupSettings, Settings
from gaia.store import digests, forgets, inbox, indexes, job_runs, outbox, usage
from gaia.store.digests import DigestCounts
from gaia.store.engine import Database
from gaia.store.indexes import IndexBacklog
from gaia.store.job_runs import JobRun
from gaia.store.people.users import Users
from gaia.store.usage import DayOfUsage
from gaia.swappable import Swappable

ANSWER_SECONDS = 5.0
"""How long a server's answer is waited for: whoever asks for the report waits not much longer."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What the database tells of how gaia is."""

    received: inbox.Backlog
    to_send: outbox.Backlog
    used: Sequence[DayOfUsage]
    memories: int
    unindexed: indexes.IndexBacklog
    digested: DigestCounts
    forgetting_since: datetime | None
    runs: Sequence[JobRun]


class Status:
    """Makes the report. `started` is set by the daemon's life cycle."""

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        users: Users,
        model: Swappable[ChatModel],
        channels: Mapping[str, Channel],
        handlers: Handlers,
        index: Index,
        recall: Swappable[Recall],
        digest_worker: DigestWorker,
        settings: Swappable[Settings],
        settings_state: SettingsState,
        clock: Clock,
        clock_watch: ClockWatch,
        shares: Shares | None = None,
    ) -> None:
        self.started = False
        self._shares = shares or Shares()
        self._home = home
        self._database = database
        self._users = users
        self._model = model
        self._channels = channels
        self._handlers = handlers
        self._index = index
        self._recall = recall
        self._digest_worker = digest_worker
        self._settings = settings
        self._settings_state = settings_state
        self._clock = clock
        self._clock_watch = clock_watch
        self._started_at = clock.now()
        problem = mounts.problem(home, mounts.mount_below(home))
        self._file_system = PartStatus(name="file system", ok=not problem, detail=problem)

    @property
    def ready(self) -> bool:
        """Whether all is started, and where several work together, not cut off from them."""
        return self.started and self._shares.lives()

    async def report(self) -> StatusReport:
        """The report as of now.

        Raises:
            StoreError: The database cannot be read, or was removed.
        """
        if problem := self._database.problem():
            raise VanishedError(problem)
        if self._database.server is None:
            return await self._report()
        try:
            return await within(self._clock, ANSWER_SECONDS, self._report())
        except TimeoutError:
            raise StoreError(
                f"{self._database.name} did not answer within {ANSWER_SECONDS:g} s: look at its "
                "server, and at the way to it"
            ) from None

    async def _report(self) -> StatusReport:
        now, settings = self._clock.now(), self._settings.value
        today = now.astimezone().date()
        names = {user.user_id: user.name for user in await self._users.list()}
        read = await self._database.read(_read, today)
        return StatusReport(
            version=__version__,
            home=str(self._home.root),
            pid=os.getpid(),
            at=now,
            uptime_seconds=(now - self._started_at).total_seconds(),
            processes=await self._processes(),
            ready=self.ready,
            model=parts.model_status(self._model.value, now),
            channels=tuple(
                ChannelStatus.of(channel.health(), name=name)
                for name, channel in self._channels.items()
            ),
            store=PartStatus(name="store", ok=True),
            settings=self._settings_status(),
            memory=self._memory_status(read.memories, read.unindexed, now),
            recall=self._recall_status(),
            forgetting=parts.forgetting_status(read.forgetting_since, now),
            digests=self._digests_status(read.digested, now),
            inbox=parts.inbox_status(read.received, now),
            outbox=parts.outbox_status(read.to_send, now),
            running_turns=self._handlers.running_turns(),
            users=len(names),
            currency=settings.costs.currency,
            budget=parts.budget_status(read.used, self._model.value, settings.limits),
            usage_today=parts.usage_status(read.used, names, today),
            jobs=tuple(parts.job_status(run, now) for run in read.runs),
            backup=await self._backup_status(settings.backup),
            clock=self._clock_watch.status(),
            file_system=self._file_system,
            database=self._database.name,
        )

    async def _backup_status(self, settings: BackupSettings) -> BackupStatus:
        folder = backup_folder(self._home, settings)
        archives = await asyncio.to_thread(archives_in, folder)
        return BackupStatus(
            enabled=settings.enabled,
            folder=str(folder),
            last_at=archives[-1].taken_at if archives else None,
        )

    async def _processes(self) -> tuple[ProcessStatus, ...]:
        return tuple(map(ProcessStatus.of, await self._shares.processes()))

    def _settings_status(self) -> SettingsStatus:
        state = self._settings_state
        return SettingsStatus.of(state.health(), loaded_at=state.loaded_at)

    def _recall_status(self) -> PartStatus:
        return PartStatus.of(self._recall.value.health(), name="recall")

    def _memory_status(self, memories: int, unindexed: IndexBacklog, now: datetime) -> MemoryStatus:
        return MemoryStatus.of(
            self._index.health(),
            enabled=self._index.enabled,
            memories=memories,
            waiting=unindexed.waiting,
            oldest_seconds=parts.age(unindexed.oldest, now),
            made_again=self._index.made_again,
        )

    def _digests_status(self, counts: DigestCounts, now: datetime) -> DigestsStatus:
        over_budget = self._digest_worker.over_budget
        return DigestsStatus.of(
            counts,
            enabled=self._digest_worker.enabled,
            over_budget=len(over_budget),
            detail=parts.digests_detail(counts, over_budget.values(), now),
        )


def _read(session: Session, today: date) -> _Read:
    return _Read(
        inbox.backlog(session),
        outbox.backlog(session),
        usage.since(session, today),
        indexes.count_passages(session),
        indexes.ops_backlog(session),
        digests.counts(session),
        forgets.under_way_since(session),
        job_runs.all(session),
    )


class SettingsState:
    """Kept by who loads them, told by the status."""

    def __init__(self, loaded_at: datetime, problem: str = "") -> None:
        self.loaded_at = loaded_at
        self._problem = problem
        self._difference = ""

    def loaded(self, at: datetime) -> None:
        """What stands in the files holds."""
        self.loaded_at, self._problem = at, ""

    def refused(self, problem: str) -> None:
        """It does not hold; those before do."""
        self._problem = problem

    def differ(self, problem: str) -> None:
        """What other processes have changed does not hold here, if there is a problem."""
        self._difference = problem

    def health(self) -> Health:
        problem = self._problem or self._difference
        return Health(ok=not problem, detail=problem)
