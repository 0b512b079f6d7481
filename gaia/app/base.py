"""Builds what all other parts stand on: the settings, the store, and memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gaia.core.shares import Shares
from gaia.memory.confidence import Decay
from gaia.memory.index.index import Index
from gaia.memory.index.opener import parts_opener
from gaia.memory.search import rerank
from gaia.memory.search.ranking import E5
from gaia.memory.search.rerank import Reranker
from gaia.memory.search.search import RankingOptions, Search
from gaia.ops.backup.backups import Backups
from gaia.ops.backup.encryption import known_passphrase
from gaia.ops.clock_watch import ClockWatch
from gaia.ops.forget_worker import ForgetWorker
from gaia.ops.home_cleaner import HomeCleaner
from gaia.ops.metrics import Counters
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import MemorySettings, Settings
from gaia.store.engine import Database
from gaia.store.people.users import Users
from gaia.swappable import Swappable

HOSTED_QUIET_SECONDS = 20.0
"""The pause before a hosted daemon loads its index and looks for sessions that idled out, so
that the first answer has the processor for itself: a chat is often over by then, and what is
due waits for the next."""


@dataclass(frozen=True, slots=True)
class Base:
    """What every part may use. `loaded` is what gaia started with, `settings` what holds now."""

    home: Home
    loaded: LoadedSettings
    settings: Swappable[Settings]
    database: Database
    clock: Clock
    users: Users
    counters: Counters
    clock_watch: ClockWatch
    shares: Shares
    hosted: bool

    @property
    def quiet_seconds(self) -> float:
        """How long nothing is done in the background after the start."""
        return HOSTED_QUIET_SECONDS if self.hosted else 0.0


def build_base(
    home: Home,
    loaded: LoadedSettings,
    database: Database,
    clock: Clock,
    shares: Shares,
    *,
    hosted: bool,
) -> Base:
    """Build it on files that are open."""
    return Base(
        home=home,
        loaded=loaded,
        settings=Swappable(loaded.settings),
        database=database,
        clock=clock,
        users=Users(database, clock),
        counters=Counters(),
        clock_watch=ClockWatch(home, database, clock),
        shares=shares,
        hosted=hosted,
    )


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """What finds memories and what forgets them, whichever model answers."""

    ranking_options: Swappable[RankingOptions]
    index: Index
    search: Search
    reranker: Reranker
    forget_worker: ForgetWorker
    home_cleaner: HomeCleaner
    backups: Backups

    def changed(self) -> None:
        """Say that a change of a memory is committed."""
        self.index.wake()
        self.forget_worker.wake()


def build_memory(base: Base, forget_known: Callable[[], None]) -> MemoryParts:
    """Build them. `forget_known` is called once something is forgotten: whoever holds some
    of it in mind drops it."""
    memory = base.loaded.settings.memory
    weighed = Swappable(ranking_options(memory))
    index = Index(
        parts_opener(base.home, memory, base.loaded.secrets, base.database.server),
        database=base.database,
        clock=base.clock,
        start_after_seconds=base.quiet_seconds,
        leads=base.shares.leads,
    )
    reranker = Reranker(base.clock)
    backups = Backups(
        home=base.home,
        database=base.database,
        settings=base.settings,
        passphrase=partial(known_passphrase, base.home),
        clock=base.clock,
        doubt_clock=base.clock_watch.doubt,
        share=base.shares.leader,
    )

    def forgotten() -> None:
        forget_known()
        base.shares.tell_forgotten()
        backups.wake()

    forget_worker = ForgetWorker(
        home=base.home,
        database=base.database,
        clock=base.clock,
        forgotten=forgotten,
        share=base.shares.leader,
    )
    return MemoryParts(
        ranking_options=weighed,
        index=index,
        search=Search(base.database, index, base.clock, ranking_options=weighed, reranker=reranker),
        reranker=reranker,
        forget_worker=forget_worker,
        home_cleaner=HomeCleaner(base.home, base.database, base.clock, forget_worker.wake),
        backups=backups,
    )


def require_extras(settings: Settings, *, hosted: bool) -> None:
    """Check that what the settings ask for is installed; who is `hosted` traces nothing.

    Raises:
        SettingsError: An extra is missing.
    """
    rerank.require_extra(settings.memory)
    if settings.tracing.enabled and not hosted:
        from gaia.ops.tracing import require_extra

        require_extra(settings.tracing)


def ranking_options(memory: MemorySettings) -> RankingOptions:
    """How what is found is weighed, by the settings."""
    scale = E5 if memory.embedder.provider == "embedded" else None
    decay = Decay(memory.upkeep.use_gain, memory.upkeep.decay_days)
    return RankingOptions(memory.fusion, scale, memory.rerank, decay)
