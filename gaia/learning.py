"""The part of the composition root that wires what gaia learns by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from gaia.commands.announcing import Announcing
from gaia.core.budgets import Budgets
from gaia.core.delivery import Delivery
from gaia.core.digesting.committing import Committing
from gaia.core.digesting.digesting import Digesting
from gaia.core.digesting.reading import Reading
from gaia.core.spending import Spending
from gaia.core.turns import Turns
from gaia.current import Current
from gaia.memory.digest.findings import Reader
from gaia.memory.digest.offers import Known
from gaia.memory.recall import Finder
from gaia.ops.checkpoints import Checkpoints
from gaia.ops.upkeep import Upkeep
from gaia.ports import Channel, Clock
from gaia.schedule.jobs import Daily, Every, Job
from gaia.sessions.service import SessionStore
from gaia.settings.schema import Settings
from gaia.store.engine import Database

SWEEPS_WHILE_IDLE = 10
"""How often it is looked while a conversation idles whether it has done so long enough."""

SHORTEST_SWEEP = timedelta(seconds=1)
LONGEST_SWEEP = timedelta(minutes=1)

UPKEEP_HOUR = 4
CHECKPOINT_INTERVAL = timedelta(hours=1)


def build_digesting(
    settings: Current[Settings],
    reader: Current[Reader],
    *,
    finder: Finder,
    database: Database,
    sessions: SessionStore,
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
        sessions=sessions,
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


def build_jobs(
    settings: Settings,
    digesting: Digesting,
    upkeep: Upkeep,
    checkpoints: Checkpoints,
    *,
    after_start: timedelta,
) -> Sequence[Job]:
    """What is done at its times; the first look for what idled is `after_start`."""
    idle = timedelta(minutes=settings.sessions.idle_consolidate_minutes)
    interval = min(max(idle / SWEEPS_WHILE_IDLE, SHORTEST_SWEEP), LONGEST_SWEEP)
    return (
        Job("sweep", Every(interval, after_start), digesting.sweep),
        Job("checkpoint", Every(CHECKPOINT_INTERVAL, CHECKPOINT_INTERVAL), checkpoints.run),
        Job("upkeep", Daily(UPKEEP_HOUR), upkeep.run),
    )
