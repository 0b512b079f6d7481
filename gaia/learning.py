"""The part of the composition root that wires what gaia learns by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from gaia.agent.models import ChatModel
from gaia.asking import build_ask, build_extractor
from gaia.commands.announcing import Announcing
from gaia.core.delivery import Delivery
from gaia.core.digesting.committing import Committing
from gaia.core.digesting.digesting import Digesting
from gaia.core.digesting.reading import Reading
from gaia.core.profiling import Profiles
from gaia.core.turns import Turns
from gaia.memory.digest.findings import AskModel, Extractor
from gaia.memory.digest.offers import Known
from gaia.memory.recall import Finder
from gaia.ops.upkeep import Upkeep
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.schedule.schedule import Daily, Every, Job
from gaia.sessions.service import SessionStore
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import MemorySettings, Settings
from gaia.store.engine import Database

SWEEPS_WHILE_IDLE = 10
"""How often it is looked while a conversation idles whether it has done so long enough."""

SHORTEST_SWEEP = timedelta(seconds=1)
LONGEST_SWEEP = timedelta(minutes=1)

UPKEEP_HOUR = 4
UPKEEP_AFTER_START = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads conversations and writes profiles: the model that is asked, and who asks it."""

    ask: AskModel
    extractor: Extractor


def build_reader(home: Home, loaded: LoadedSettings, model: ChatModel) -> Reader:
    """The reader of the settings."""
    ask = build_ask(home, loaded, model)
    return Reader(ask, build_extractor(home, loaded, ask))


def build_profiles(
    memory: MemorySettings, reader: Reader, *, database: Database, clock: Clock
) -> Profiles:
    """What keeps profiles."""
    return Profiles(
        database=database,
        ask=reader.ask,
        clock=clock,
        limit=memory.preload_limit,
        calls_per_day=memory.calls_per_day,
    )


def build_digesting(
    settings: Settings,
    reader: Reader,
    *,
    finder: Finder,
    database: Database,
    sessions: SessionStore,
    channels: Mapping[str, Channel],
    delivery: Delivery,
    turns: Turns,
    learned: Callable[[str], None],
    clock: Clock,
) -> Digesting:
    """What digests sealed sessions; `finder` tells what is known, and `learned` is called
    when it changed a user's memories."""
    memory = settings.memory
    is_small = reader.ask.is_small
    reading = Reading(
        database=database,
        extractor=reader.extractor,
        known=Known(database, finder, clock, small=is_small),
        turns=turns,
        clock=clock,
        calls_per_day=memory.calls_per_day,
        model=reader.ask.name,
        small=is_small,
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
        idle=timedelta(minutes=settings.sessions.idle_consolidate_minutes),
        enabled=memory.enabled and memory.auto_ingest,
    )


def build_jobs(
    settings: Settings, digesting: Digesting, upkeep: Upkeep, *, after_start: timedelta
) -> Sequence[Job]:
    """What is done at its times; the first look for what idled is `after_start`."""
    idle = timedelta(minutes=settings.sessions.idle_consolidate_minutes)
    interval = min(max(idle / SWEEPS_WHILE_IDLE, SHORTEST_SWEEP), LONGEST_SWEEP)
    return (
        Job("sweep", Every(interval, after_start), digesting.sweep),
        Job("upkeep", Daily(UPKEEP_HOUR, UPKEEP_AFTER_START), upkeep.run),
    )
