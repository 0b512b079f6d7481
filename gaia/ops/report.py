"""The status report: what `gaia status`, `/status` and the health endpoint show.

Read on both ends of the control socket, so it imports no part of the daemon.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import BaseModel, ConfigDict

FILE = "gaia.db"


class Report(BaseModel):
    """The base of the report's parts: frozen, and the same on both ends of the socket."""

    # Most commands need few of the reports: one is built when it is used first.
    model_config = ConfigDict(frozen=True, defer_build=True)

    @classmethod
    def of(cls, source: object, /, **others: object) -> Self:
        """The report on `source`: a field that is not among `others` has its attribute of that
        name, which has to be there."""
        same = {name: getattr(source, name) for name in cls.model_fields if name not in others}
        return cls.model_validate({**same, **others})


class PartStatus(Report):
    """Whether a part works; `detail` is the cause when it does not."""

    name: str
    ok: bool
    detail: str = ""


class ChannelStatus(PartStatus):
    """How a channel is, and when it last worked for sure. One that `is_stalled` neither works
    nor fails: a restart of gaia may mend that."""

    worked_at: datetime | None = None
    is_stalled: bool = False


class LatencyStatus(Report):
    """How many seconds the latest answers took: the last, the middle one, and one that only
    one in twenty of them was slower than."""

    last: float
    median: float
    p95: float


class ProcessStatus(Report):
    """A gaia that works on the same database: whether it leads and lives, and how many
    conversations are its."""

    name: str
    version: str
    started_at: datetime
    leads: bool
    lives: bool
    held: int


class ModelStatus(PartStatus):
    """How the model is, and what it did today, by the machine's time zone."""

    was_tried: bool = True
    """Whether a call came to an end since gaia or its model was started."""
    calls_today: int = 0
    failed_today: int = 0
    latency: LatencyStatus | None = None
    failed_at: datetime | None = None
    cause: str = ""
    asked: str = ""
    """What its host is asked without, or how long a request may be; empty if all is taken."""


class SettingsStatus(Report):
    """Since when the settings hold, and why they are not those in the file, if so."""

    ok: bool
    detail: str = ""
    loaded_at: datetime


class WaitStatus(Report):
    """Why something waits, and how much does for that."""

    waiting: int
    cause: str


class QueueStatus(Report):
    """A queue. `oldest_seconds` is the age of what waits longest, None when nothing waits;
    `causes` tells the most frequent ones, where they are known."""

    waiting: int
    dead: int
    oldest_seconds: float | None
    causes: tuple[WaitStatus, ...] = ()


class MemoryStatus(Report):
    """Long-term memory: how many memories count, of all users, and what its index has
    still to take in. `detail` tells what the index does, or why it does not work, and
    `made_again` why it had to be made again since the start."""

    enabled: bool
    memories: int
    waiting: int
    oldest_seconds: float | None
    ok: bool
    detail: str = ""
    made_again: str = ""


class DigestsStatus(Report):
    """What gaia learns by itself: how many conversations wait to be read and how many
    could not be, of all users. `over_budget` counts the users whose conversations wait for
    tomorrow; `detail` tells the last failure and its remedy."""

    enabled: bool
    waiting: int
    failed: int
    over_budget: int
    detail: str = ""


class UsageStatus(Report):
    """A user's model calls and tokens today. `cost` is None where nothing of it is known;
    `unpriced` of the tokens have no part in it."""

    user: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None = None
    unpriced: int = 0


class JobStatus(Report):
    """How the last run of a job went. `late_seconds` is how long after its time it began,
    or of one that waits, how long it is due."""

    name: str
    state: str
    started_at: datetime | None = None
    late_seconds: float = 0.0
    error: str = ""
    next_at: datetime | None = None


class BackupStatus(Report):
    """Whether gaia makes backups by itself, and when the last one was made, by whomever."""

    enabled: bool
    folder: str
    last_at: datetime | None = None


class StatusReport(Report):
    """The whole report, as of `at`."""

    version: str
    home: str
    pid: int
    processes: tuple[ProcessStatus, ...] = ()
    at: datetime
    uptime_seconds: float
    ready: bool
    model: ModelStatus
    channels: tuple[ChannelStatus, ...]
    store: PartStatus
    settings: SettingsStatus
    memory: MemoryStatus
    recall: PartStatus
    forgetting: PartStatus
    digests: DigestsStatus
    inbox: QueueStatus
    outbox: QueueStatus
    running_turns: int
    users: int
    currency: str
    budget: PartStatus
    usage_today: tuple[UsageStatus, ...]
    jobs: tuple[JobStatus, ...]
    backup: BackupStatus
    clock: PartStatus = PartStatus(name="clock", ok=True)
    file_system: PartStatus = PartStatus(name="file system", ok=True)
    database: str = FILE
    """What gaia keeps everything in, without a password."""

    @property
    def degraded(self) -> tuple[PartStatus, ...]:
        """The parts that do not work, and the jobs whose last run failed."""
        parts = [
            self.store,
            PartStatus.of(self.settings, name="settings"),
            self.model,
            PartStatus.of(self.memory, name="memory index"),
            self.recall,
            self.forgetting,
            self.budget,
            self.clock,
            PartStatus.of(self.digests, name="learning", ok=not self.digests.failed),
            *self.channels,
        ]
        parts += (
            PartStatus(name=f"job {job.name}", ok=not job.error, detail=job.error)
            for job in self.jobs
        )
        return tuple(part for part in parts if not part.ok)
