"""The composition root: from settings to an App. The one place that wires.

What a change of the settings replaces is in `models`; `apply` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from starlette.routing import BaseRoute

from channels.terminal import TerminalChannel
from gaia.agent.models import ChatModel
from gaia.app.channels import TerminalGreeter, build_commands, enabled_channels
from gaia.app.jobs import build_digests, build_jobs
from gaia.app.models import CurrentModelStack, ModelStackBuilder, weighing
from gaia.core.access import Access, Limits
from gaia.core.budgets import BudgetNotices, Budgets, Spending
from gaia.core.delivery import Delivery
from gaia.core.dispatcher import Dispatcher
from gaia.core.gateway import ChannelGateway, Warming
from gaia.core.handler import Handlers
from gaia.core.profiling import Profiles
from gaia.core.strangers import Strangers
from gaia.core.turns import Turns
from gaia.current import Current
from gaia.digest.worker import Digesting
from gaia.memory.digest.findings import Reader
from gaia.memory.index.index import Index
from gaia.memory.index.opening import parts_opener
from gaia.memory.search import Search, Weighing
from gaia.ops.backup.backups import Backups, build_backups
from gaia.ops.forgetting import Forgetting
from gaia.ops.metrics import Counters, Metrics
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
from gaia.store.users import Users
from gaia.web.local import memory_routes, query_routes, session_routes, terminal_route

HOSTED_INDEX_SECONDS = 20.0
"""The pause before a hosted daemon loads its index, so that the first answer has the
processor for itself: a chat is often over by then, and what is due waits for the next.
Sessions that idled out are looked for no earlier, too."""


@dataclass(frozen=True, slots=True)
class App:
    """All parts of a gaia that is ready to start. `daemon` runs it, `apply` gives it
    other settings."""

    settings: Current[Settings]
    answering: CurrentModelStack
    weighing: Current[Weighing]
    builder: ModelStackBuilder
    users: Users
    greeter: TerminalGreeter
    channels: dict[str, Channel]
    gateway: Callable[[str], ChannelGateway]
    handlers: Handlers
    strangers: Strangers
    dispatcher: Dispatcher
    delivery: Delivery
    warming: Warming
    index: Index
    forgetting: Forgetting
    backups: Backups
    digesting: Digesting
    upkeep: Upkeep
    profiles: Profiles
    schedule: Schedule
    ledger: Ledger
    jobs: Callable[[], Sequence[Job]]
    """The jobs of the present settings."""
    status: Status
    metrics: Metrics
    settings_state: SettingsState
    local_routes: Sequence[BaseRoute]

    async def recover(self) -> None:
        """Take up what an earlier process left in the queues, or another one wrote there."""
        await self.handlers.recover()
        await self.dispatcher.recover()
        await self.strangers.recover()
        await self.delivery.recover()
        self.index.wake()
        self.forgetting.wake()
        self.backups.wake()

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
    hosted: bool = False,
    extra_channels: Sequence[Channel] = (),
    reader: Reader | None = None,
) -> App:
    """Wire everything; nothing is started. `extra_channels` come on top of the settings',
    `reader` is in the place of theirs.

    Raises:
        SettingsError: A channel is enabled, and its secret is not there.
    """
    settings = Current(loaded.settings)
    weighed = Current(weighing(loaded.settings.memory))
    users = Users(database, clock)
    index = Index(
        parts_opener(home, loaded.settings.memory, loaded.secrets),
        database=database,
        clock=clock,
        start_after_seconds=HOSTED_INDEX_SECONDS if hosted else 0.0,
    )
    search = Search(database, index, clock, weighing=weighed)
    backups = build_backups(home, database, settings, clock)
    forgetting = Forgetting(
        home=home,
        database=database,
        clock=clock,
        forgotten=lambda: forgotten(),
    )

    def forgotten() -> None:
        answering.agent.now.forget_known()
        backups.wake()

    def memory_changed() -> None:
        index.wake()
        forgetting.wake()

    def learned(user_id: str) -> None:
        memory_changed()
        profiles.wake(user_id)

    builder = ModelStackBuilder(
        home=home,
        database=database,
        search=search,
        clock=clock,
        memory_changed=memory_changed,
        wake_profile=lambda user_id: profiles.wake(user_id),
    )
    answering = CurrentModelStack(builder.build(loaded, model, reader))
    spending, budgets = Spending(settings, clock), Budgets(settings, clock)
    profiles = Profiles(
        database=database,
        reader=answering.reader,
        clock=clock,
        settings=settings,
        spending=spending,
        budgets=budgets,
    )
    access = Access(users, settings)
    greeter = TerminalGreeter(access, database, answering.model)
    channels = dict(enabled_channels(loaded, greeter, clock, hosted=hosted))
    channels |= {channel.name: channel for channel in extra_channels}
    counters = Counters()
    delivery = Delivery(
        database=database,
        channels=channels,
        clock=clock,
        settings=settings,
        observer=counters,
    )
    turns = Turns()
    digesting = build_digests(
        settings,
        answering.reader,
        finder=search,
        database=database,
        channels=channels,
        delivery=delivery,
        turns=turns,
        spending=spending,
        budgets=budgets,
        learned=learned,
        clock=clock,
    )
    housekeeping = build_jobs(
        settings,
        home=home,
        database=database,
        digesting=digesting,
        backups=backups,
        memory_changed=memory_changed,
        clock=clock,
        first_sweep_after=timedelta(seconds=HOSTED_INDEX_SECONDS if hosted else 0.0),
    )

    def after_turn() -> None:
        forgetting.after_turn()
        digesting.after_turn()

    handlers = Handlers(
        database=database,
        runner=answering.runner,
        channels=channels,
        delivery=delivery,
        clock=clock,
        settings=settings,
        turns=turns,
        spending=spending,
        budgets=BudgetNotices(budgets, channels, clock),
        before_turn=forgetting.before_turn,
        after_turn=after_turn,
        observer=counters,
    )
    settings_state = SettingsState(clock.now(), loaded.problem)
    status = Status(
        home=home,
        database=database,
        users=users,
        model=answering.model,
        channels=channels,
        handlers=handlers,
        index=index,
        recall=answering.recall,
        digesting=digesting,
        settings=settings,
        settings_state=settings_state,
        clock=clock,
    )
    metrics = Metrics(counters, status, answering.model, database, clock)
    strangers = Strangers(database=database, channels=channels, delivery=delivery, clock=clock)

    commands = build_commands(
        settings,
        handlers=handlers,
        digesting=digesting,
        finder=search,
        memory_changed=memory_changed,
        channels=channels,
        status=status,
        strangers=strangers,
        clock=clock,
    )
    dispatcher = Dispatcher(
        database=database,
        access=access,
        strangers=strangers,
        limits=Limits(settings),
        users=users,
        runner=answering.runner,
        handlers=handlers,
        delivery=delivery,
        commands=commands,
        channels=channels,
        clock=clock,
    )
    warming = Warming(database=database, users=users, agent=answering.agent, clock=clock)

    def gateway(channel: str) -> ChannelGateway:
        return ChannelGateway(
            channel,
            database=database,
            clock=clock,
            dispatcher=dispatcher,
            delivery=delivery,
            warming=warming,
            observer=counters,
        )

    def terminal() -> TerminalChannel | None:
        channel = channels.get(TerminalChannel.name)
        return channel if isinstance(channel, TerminalChannel) else None

    return App(
        settings=settings,
        answering=answering,
        weighing=weighed,
        builder=builder,
        users=users,
        greeter=greeter,
        channels=channels,
        gateway=gateway,
        handlers=handlers,
        strangers=strangers,
        dispatcher=dispatcher,
        delivery=delivery,
        warming=warming,
        index=index,
        forgetting=forgetting,
        backups=backups,
        profiles=profiles,
        digesting=digesting,
        upkeep=housekeeping.upkeep,
        schedule=housekeeping.schedule,
        ledger=housekeeping.ledger,
        jobs=housekeeping.jobs,
        status=status,
        metrics=metrics,
        settings_state=settings_state,
        local_routes=[
            *memory_routes(search, index),
            *session_routes(database, digesting, clock),
            *query_routes(database, clock),
            terminal_route(terminal),
        ],
    )
