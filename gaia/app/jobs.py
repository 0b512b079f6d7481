"""Builds what gaia does by itself: what it learns with, and the jobs that are done at their
times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from gaia.commands.remember import Announcing
from gaia.core.budgets import Budgets, Spending
from gaia.core.delivery import Delivery
from gaia.core.turns import Turns
from gaia.current import Current
from gaia.digest.commit import Committing
from gaia.digest.read import Reading
from gaia.digest.worker import Digesting
from gaia.memory.digest.findings import Reader
from gaia.memory.digest.offers import Known
from gaia.memory.recall import Finder
from gaia.ops.backup.backups import Backups, build_backup_job
from gaia.ops.checkpoints import Checkpoints
from gaia.ops.upkeep import Upkeep
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.schedule.jobs import Daily, Every, Job
from gaia.schedule.ledger import Ledger
from gaia.schedule.schedule import Schedule
from gaia.settings.schema import Settings
from gaia.store.engine import Database

SWEEPS_WHILE_IDLE = 10
"""How often it is looked while a conversation idles whether it has done so long enough."""

SHORTEST_SWEEP = timedelta(seconds=1)
LONGEST_SWEEP = timedelta(minutes=1)

UPKEEP_HOUR = 4
CHECKPOINT_INTERVAL = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Jobs:
    """What keeps the home in order, and when."""

    upkeep: Upkeep
    schedule: Schedule
    ledger: Ledger
    jobs: Callable[[], Sequence[Job]]
    """The jobs of the present settings."""


def build_jobs(
    settings: Current[Settings],
    *,
    home: Home,
    database: Database,
    digesting: Digesting,
    backups: Backups,
    memory_changed: Callable[[], None],
    clock: Clock,
    first_sweep_after: timedelta,
) -> Jobs:
    """What sweeps, empties logs, keeps up and makes backups."""
    checkpoints = Checkpoints(home.database, database)
    upkeep = Upkeep(
        database=database,
        home=home,
        digesting=digesting,
        memory_changed=memory_changed,
        checkpoints=checkpoints,
        clock=clock,
        settings=settings,
    )

    def jobs() -> Sequence[Job]:
        now = settings.now
        sweep = Every(_sweep_interval(now), first_sweep_after)
        return (
            Job("sweep", sweep, digesting.sweep),
            Job("checkpoint", Every(CHECKPOINT_INTERVAL, CHECKPOINT_INTERVAL), checkpoints.run),
            Job("upkeep", Daily(UPKEEP_HOUR), upkeep.run),
            build_backup_job(backups, now.backup),
        )

    ledger = Ledger(database, clock)
    return Jobs(upkeep, Schedule(jobs(), ledger, clock), ledger, jobs)


def _sweep_interval(settings: Settings) -> timedelta:
    idle = timedelta(minutes=settings.sessions.idle_consolidate_minutes)
    return min(max(idle / SWEEPS_WHILE_IDLE, SHORTEST_SWEEP), LONGEST_SWEEP)


def build_digests(
    settings: Current[Settings],
    reader: Current[Reader],
    *,
    finder: Finder,
    database: Database,
    channels: Mapping[str, Channel],
    delivery: Delivery,
    turns: Turns,
    spending: Spending,
    budgets: Budgets,
    learned: Callable[[str], None],
    clock: Clock,
) -> Digesting:
    """What digests sealed sessions; `finder` tells what is known, and `learned` is called
    when it changed a user's memories."""
    reading = Reading(
        database=database,
        reader=reader,
        known=Known(database, finder, clock, small=lambda: reader.now.ask.is_small),
        turns=turns,
        clock=clock,
        settings=settings,
        spending=spending,
        budgets=budgets,
    )
    committing = Committing(
        database=database,
        channels=channels,
        delivery=delivery,
        announcements=Announcing(),
        learned=learned,
        clock=clock,
    )
    return Digesting(
        database=database,
        reading=reading,
        committing=committing,
        clock=clock,
        settings=settings,
    )
