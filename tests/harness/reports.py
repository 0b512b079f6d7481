"""A status report of a gaia that is well, for tests to change."""

from __future__ import annotations

from datetime import timedelta

from gaia import __version__
from gaia.ops.report import (
    BackupStatus,
    ChannelStatus,
    DigestsStatus,
    MemoryStatus,
    ModelStatus,
    PartStatus,
    QueueStatus,
    SettingsStatus,
    StatusReport,
)
from gaia.testing.clock import START

NOTHING = QueueStatus(waiting=0, dead=0, oldest_seconds=None)
MEMORY = MemoryStatus(enabled=True, memories=1_200, waiting=0, oldest_seconds=None, ok=True)
DIGESTS = DigestsStatus(enabled=True, waiting=0, failed=0, over_budget=0)
TERMINAL = ChannelStatus(name="terminal", ok=True)
MODEL = ModelStatus(name="gemini-flash (gemini)", ok=True)

WELL = StatusReport(
    version=__version__,
    home="/home/ada/.gaia",
    pid=42,
    at=START,
    uptime_seconds=7_800,
    ready=True,
    model=MODEL,
    channels=(TERMINAL,),
    store=PartStatus(name="store", ok=True),
    settings=SettingsStatus(ok=True, loaded_at=START - timedelta(hours=2)),
    memory=MEMORY,
    recall=PartStatus(name="recall", ok=True),
    forgetting=PartStatus(name="forgetting", ok=True),
    digests=DIGESTS,
    inbox=NOTHING,
    outbox=NOTHING,
    running_turns=0,
    users=2,
    currency="EUR",
    budget=PartStatus(name="budget", ok=True),
    usage_today=(),
    jobs=(),
    backup=BackupStatus(enabled=True, folder="/home/ada/.gaia/backups"),
)
