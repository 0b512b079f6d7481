"""Builds what gaia does by itself: what it learns with, and the jobs that are done at their
times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from gaia.app.base import Base, MemoryParts
from gaia.app.channels import ChannelParts
from gaia.app.models import ModelParts
from gaia.commands.remember import ChatAnnouncements
from gaia.core.turns import Turns
from gaia.digest.commit import DigestCommitter
from gaia.digest.known import Known
from gaia.digest.read import WindowReader
from gaia.digest.upkeep.reconcile import RECONCILE, Reconciler
from gaia.digest.upkeep.synthesis import SYNTHESIS
from gaia.digest.upkeep.worker import FADE, RULES, MemoryUpkeep
from gaia.digest.worker import DigestWorker
from gaia.ops.backup.backups import build_backup_job
from gaia.ops.checkpoints import Checkpoints
from gaia.ops.reminder_worker import ReminderWorker
from gaia.ops.upkeep import Upkeep
from gaia.schedule.jobs import Daily, Every, Job, machine_zone, next_due
from gaia.schedule.ledger import Ledger
from gaia.schedule.schedule import Schedule
from gaia.settings.schema import Settings

SWEEPS_WHILE_IDLE = 10
"""How often it is looked while a conversation idles whether it has done so long enough."""

SHORTEST_SWEEP = timedelta(seconds=1)
LONGEST_SWEEP = timedelta(minutes=1)

UPKEEP_HOUR = 4
MEMORY_UPKEEP_HOUR = 5
CHECKPOINT_INTERVAL = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Jobs:
    """What keeps the home in order, and when."""

    upkeep: Upkeep
    reminder_worker: ReminderWorker
    schedule: Schedule
    ledger: Ledger
    of_settings: Callable[[], Sequence[Job]]
    """The jobs of the present settings."""


def build_digests(
    base: Base, memory: MemoryParts, models: ModelParts, channels: ChannelParts, turns: Turns
) -> DigestWorker:
    """Build what digests sealed sessions, whenever no turn runs."""
    reader = models.answering.reader

    def learned(user_id: str) -> None:
        memory.changed()
        models.profiles.wake(user_id)

    def is_small() -> bool:
        return reader.value.ask.is_small

    window_reader = WindowReader(
        database=base.database,
        reader=reader,
        known=Known(base.database, memory.search, base.clock, small=is_small),
        turns=turns,
        clock=base.clock,
        settings=base.settings,
        spending=models.spending,
        budgets=models.budgets,
    )
    committer = DigestCommitter(
        database=base.database,
        channels=channels.by_name,
        delivery=channels.delivery,
        announcements=ChatAnnouncements(
            lambda: next_due(UPKEEP_HOUR, base.clock.now(), machine_zone())
        ),
        learned=learned,
        clock=base.clock,
    )
    return DigestWorker(
        database=base.database,
        window_reader=window_reader,
        committer=committer,
        clock=base.clock,
        settings=base.settings,
        most_tokens=lambda: reader.value.ask.most_tokens,
        share=base.shares.leader,
    )


def build_jobs(
    base: Base,
    memory: MemoryParts,
    models: ModelParts,
    channels: ChannelParts,
    digest_worker: DigestWorker,
) -> Jobs:
    """Build what sweeps, empties logs, keeps up, makes backups and says reminders."""
    checkpoints = Checkpoints(base.home.database, base.database)
    upkeep = Upkeep(
        database=base.database,
        home=base.home,
        digest_worker=digest_worker,
        memory_changed=memory.changed,
        checkpoints=checkpoints,
        doubt_clock=base.clock_watch.doubt,
        clock=base.clock,
        settings=base.settings,
    )
    memory_upkeep = MemoryUpkeep(
        database=base.database,
        reconciler=Reconciler(
            database=base.database,
            nearest=memory.index.nearest,
            reader=models.answering.reader,
            spending=models.spending,
            budgets=models.budgets,
            clock=base.clock,
            settings=base.settings,
        ),
        memory_changed=memory.changed,
        doubt_clock=base.clock_watch.doubt,
        clock=base.clock,
        settings=base.settings,
    )

    def of_settings() -> Sequence[Job]:
        now = base.settings.value
        sweep = Every(_sweep_interval(now), timedelta(seconds=base.quiet_seconds))
        return (
            Job("sweep", sweep, digest_worker.sweep),
            Job("checkpoint", Every(CHECKPOINT_INTERVAL, CHECKPOINT_INTERVAL), checkpoints.run),
            Job("upkeep", Daily(UPKEEP_HOUR), upkeep.run),
            Job(FADE, Daily(MEMORY_UPKEEP_HOUR), memory_upkeep.fade),
            Job(RULES, Daily(MEMORY_UPKEEP_HOUR), memory_upkeep.cap_rules),
            Job(RECONCILE, Daily(MEMORY_UPKEEP_HOUR), memory_upkeep.reconcile),
            Job(SYNTHESIS, Daily(MEMORY_UPKEEP_HOUR), memory_upkeep.synthesise),
            build_backup_job(memory.backups, now.backup),
        )

    ledger = Ledger(base.database, base.clock)
    reminder_worker = ReminderWorker(
        database=base.database,
        channels=channels.by_name,
        delivery=channels.delivery,
        clock=base.clock,
        settings=base.settings,
    )
    return Jobs(
        upkeep, reminder_worker, Schedule(of_settings(), ledger, base.clock), ledger, of_settings
    )


def _sweep_interval(settings: Settings) -> timedelta:
    idle = timedelta(minutes=settings.sessions.idle_consolidate_minutes)
    return min(max(idle / SWEEPS_WHILE_IDLE, SHORTEST_SWEEP), LONGEST_SWEEP)
