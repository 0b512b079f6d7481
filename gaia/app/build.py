"""The composition root: from settings to an App. The one place that wires.

What a change of the settings replaces is in `models`; `apply` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import BaseRoute

from gaia.agent.models import ChatModel
from gaia.app.base import Base, MemoryParts, build_base, build_memory
from gaia.app.channels import ChannelParts, UserLogin, build_channels
from gaia.app.commands import build_commands
from gaia.app.jobs import build_digests, build_jobs
from gaia.app.models import CurrentModelStack, ModelParts, ModelStackBuilder, build_models
from gaia.app.reports import Reports, build_reports
from gaia.commands.registry import Registry
from gaia.core.access import Limits
from gaia.core.budgets import BudgetNotices
from gaia.core.command_runner import CommandRunner
from gaia.core.delivery import Delivery
from gaia.core.dispatcher import Dispatcher
from gaia.core.gateway import ChannelGateway, ModelWarmer
from gaia.core.handler import Handlers
from gaia.core.plain_words import OpenQuestions, PlainWords
from gaia.core.profile_worker import ProfileWorker
from gaia.core.shares import Shares
from gaia.core.strangers import Strangers
from gaia.core.turn_end import End
from gaia.core.turns import Turns
from gaia.digest.worker import DigestWorker
from gaia.memory.extraction import Reader
from gaia.memory.index.index import Index
from gaia.memory.search.preload import room
from gaia.memory.search.rerank import Reranker
from gaia.memory.search.search import RankingOptions
from gaia.ops.backup.backups import Backups
from gaia.ops.clock_watch import ClockWatch
from gaia.ops.forget_worker import ForgetWorker
from gaia.ops.home_cleaner import HomeCleaner
from gaia.ops.metrics import Metrics
from gaia.ops.reminder_worker import ReminderWorker
from gaia.ops.status import SettingsState, Status
from gaia.ops.upkeep import Upkeep
from gaia.paths import Home
from gaia.ports import Channel, Clock, Hooked
from gaia.schedule.jobs import Job
from gaia.schedule.ledger import Ledger
from gaia.schedule.schedule import Schedule
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.store.people.users import Users
from gaia.swappable import Swappable
from gaia.web.local import memory_routes, query_routes, session_routes, terminal_route
from gaia.web.page.parts import PageParts


@dataclass(frozen=True, slots=True)
class App:
    """All parts of a gaia that is ready to start. `daemon` runs it, `apply` gives it
    other settings."""

    settings: Swappable[Settings]
    shares: Shares
    answering: CurrentModelStack
    ranking_options: Swappable[RankingOptions]
    builder: ModelStackBuilder
    users: Users
    terminal_login: UserLogin
    channels: dict[str, Channel]
    gateway: Callable[[str], ChannelGateway]
    handlers: Handlers
    strangers: Strangers
    command_runner: CommandRunner
    delivery: Delivery
    warmer: ModelWarmer
    index: Index
    reranker: Reranker
    forget_worker: ForgetWorker
    home_cleaner: HomeCleaner
    backups: Backups
    digest_worker: DigestWorker
    upkeep: Upkeep
    profiles: ProfileWorker
    reminder_worker: ReminderWorker
    schedule: Schedule
    ledger: Ledger
    jobs: Callable[[], Sequence[Job]]
    """The jobs of the present settings."""
    status: Status
    metrics: Metrics
    settings_state: SettingsState
    clock_watch: ClockWatch
    page: PageParts
    local_routes: Sequence[BaseRoute]

    async def recover(self) -> None:
        """Take up what an earlier process left in the queues, or another one wrote there."""
        await self.handlers.recover()
        await self.command_runner.recover()
        await self.strangers.recover()
        await self.delivery.recover()
        self.index.wake()
        self.forget_worker.wake()
        self.home_cleaner.wake()
        self.backups.wake()

    def wake(self, conversation_id: int) -> None:
        """Say that another process has written to a conversation that this one holds."""
        self.command_runner.wake(conversation_id)
        self.handlers.wake(conversation_id)
        self.delivery.wake(conversation_id)

    def forget_known(self) -> None:
        """Drop what was read and is held in memory: another process has forgotten some of it."""
        self.answering.agent.value.forget_known()

    async def lead(self) -> None:
        """As the one that does it for all, take up what others have left to be done."""
        self.forget_worker.wake()
        await self.index.look()
        await self.digest_worker.look()

    async def follow(self) -> None:
        """Leave to another one what one does for all."""
        for part in (self.digest_worker, self.backups, self.forget_worker):
            await part.interrupt()

    def hooked(self, name: str) -> Hooked | None:
        """The channel of that name, if its provider calls it over HTTP."""
        channel = self.channels.get(name)
        return channel if isinstance(channel, Hooked) else None


def build_app(
    home: Home,
    loaded: LoadedSettings,
    database: Database,
    clock: Clock,
    *,
    model: ChatModel,
    shares: Shares | None = None,
    hosted: bool = False,
    extra_channels: Sequence[Channel] = (),
    reader: Reader | None = None,
) -> App:
    """Wire everything; nothing is started. `extra_channels` come on top of the settings',
    `reader` is in the place of theirs; `shares` tell which work is this process's.

    Raises:
        SettingsError: A channel is enabled, and its secret is not there.
    """
    base = build_base(home, loaded, database, clock, shares or Shares(), hosted=hosted)
    memory = build_memory(base, forget_known=lambda: models.answering.agent.value.forget_known())
    models = build_models(base, memory, model, reader)
    channels = build_channels(
        base, memory, models, extra_channels, lambda user: intake.commands.menu(user, direct=True)
    )
    turns = Turns()
    digest_worker = build_digests(base, memory, models, channels, turns)
    jobs = build_jobs(base, memory, models, channels, digest_worker)
    open_questions = OpenQuestions()
    handlers = _build_handlers(base, memory, models, channels, digest_worker, turns, open_questions)
    reports = build_reports(base, memory, models, channels, digest_worker, handlers)
    page = _build_page(base, memory, models, reports)
    intake = _build_intake(
        base, memory, models, channels, digest_worker, handlers, reports, page, open_questions
    )
    return App(
        settings=base.settings,
        shares=base.shares,
        answering=models.answering,
        ranking_options=memory.ranking_options,
        builder=models.builder,
        users=base.users,
        terminal_login=channels.terminal_login,
        channels=channels.by_name,
        gateway=intake.gateway,
        handlers=handlers,
        strangers=intake.strangers,
        command_runner=intake.command_runner,
        delivery=channels.delivery,
        warmer=intake.warmer,
        index=memory.index,
        reranker=memory.reranker,
        forget_worker=memory.forget_worker,
        home_cleaner=memory.home_cleaner,
        backups=memory.backups,
        profiles=models.profiles,
        reminder_worker=jobs.reminder_worker,
        digest_worker=digest_worker,
        upkeep=jobs.upkeep,
        schedule=jobs.schedule,
        ledger=jobs.ledger,
        jobs=jobs.of_settings,
        status=reports.status,
        metrics=reports.metrics,
        settings_state=reports.settings_state,
        clock_watch=base.clock_watch,
        page=page,
        local_routes=_local_routes(base, memory, channels, digest_worker),
    )


def _build_handlers(
    base: Base,
    memory: MemoryParts,
    models: ModelParts,
    channels: ChannelParts,
    digest_worker: DigestWorker,
    turns: Turns,
    open_questions: OpenQuestions,
) -> Handlers:
    def after_turn(end: End) -> None:
        memory.forget_worker.after_turn(has_faded=end.has_faded)
        digest_worker.after_turn()

    return Handlers(
        database=base.database,
        runner=models.answering.runner,
        channels=channels.by_name,
        delivery=channels.delivery,
        clock=base.clock,
        settings=base.settings,
        turns=turns,
        spending=models.spending,
        budgets=BudgetNotices(models.budgets, channels.by_name, base.clock),
        before_turn=memory.forget_worker.before_turn,
        after_turn=after_turn,
        observer=base.counters,
        open_questions=open_questions,
        share=base.shares.conversations,
    )


def _build_page(base: Base, memory: MemoryParts, models: ModelParts, reports: Reports) -> PageParts:
    return PageParts(
        database=base.database,
        clock=base.clock,
        search=memory.search,
        settings=base.settings,
        changed=memory.changed,
        room=lambda: room(base.settings.value.memory, small=models.answering.model.value.is_small),
        report=reports.status.report,
    )


@dataclass(frozen=True, slots=True)
class _Intake:
    """What takes messages, and decides what becomes of them."""

    strangers: Strangers
    commands: Registry
    command_runner: CommandRunner
    warmer: ModelWarmer
    gateway: Callable[[str], ChannelGateway]


def _build_intake(
    base: Base,
    memory: MemoryParts,
    models: ModelParts,
    channels: ChannelParts,
    digest_worker: DigestWorker,
    handlers: Handlers,
    reports: Reports,
    page: PageParts,
    open_questions: OpenQuestions,
) -> _Intake:
    database, clock, delivery = base.database, base.clock, channels.delivery
    strangers = Strangers(
        database=database, channels=channels.by_name, delivery=delivery, clock=clock
    )
    commands = build_commands(
        base,
        memory,
        channels,
        digest_worker,
        reports.status,
        page,
        strangers,
        handlers.stop_turn,
        page.room,
        lambda: models.answering.model.value,
    )
    command_runner = CommandRunner(
        database=database,
        users=base.users,
        commands=commands,
        channels=channels.by_name,
        handlers=handlers,
        delivery=delivery,
        clock=clock,
        open_questions=open_questions,
        share=base.shares.conversations,
    )
    dispatcher = Dispatcher(
        database=database,
        access=channels.access,
        strangers=strangers,
        limits=Limits(base.settings),
        plain_words=PlainWords(
            base.settings, open_questions, lambda: models.answering.model.value.is_small
        ),
        runner=models.answering.runner,
        handlers=handlers,
        command_runner=command_runner,
        delivery=delivery,
        commands=commands,
        channels=channels.by_name,
        clock=clock,
        open_questions=open_questions,
    )
    warmer = ModelWarmer(
        database=database, users=base.users, agent=models.answering.agent, clock=clock
    )

    def gateway(channel: str) -> ChannelGateway:
        return ChannelGateway(
            channel,
            database=database,
            clock=clock,
            dispatcher=dispatcher,
            delivery=delivery,
            warmer=warmer,
            observer=base.counters,
            shares=base.shares,
        )

    return _Intake(strangers, commands, command_runner, warmer, gateway)


def _local_routes(
    base: Base, memory: MemoryParts, channels: ChannelParts, digest_worker: DigestWorker
) -> Sequence[BaseRoute]:
    return [
        *memory_routes(memory.search, memory.index),
        *session_routes(base.database, digest_worker, base.clock),
        *query_routes(base.database, base.clock, base.settings),
        terminal_route(channels.terminal),
    ]
