"""The composition root: from settings to an App. The one place that wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from starlette.routing import BaseRoute

from channels.terminal import TerminalChannel
from gaia.agent.models import ChatModel
from gaia.agent.tools import built_in_tools
from gaia.agent.tools.conversations import ConversationTools
from gaia.agent.tools.memory import MemoryTools
from gaia.agent.turn import Agent
from gaia.channelling import TerminalGreeter, enabled_channels
from gaia.commands.conversation import conversation_commands
from gaia.commands.exporting import export_command
from gaia.commands.linking import linking_commands
from gaia.commands.memory import memory_commands, without_memory
from gaia.commands.people import people_commands
from gaia.commands.registry import Registry
from gaia.commands.status import status_commands
from gaia.core.access import Access
from gaia.core.attachments import Attachments
from gaia.core.delivery import Delivery
from gaia.core.digesting.digesting import Digesting
from gaia.core.dispatcher import Dispatcher
from gaia.core.gateway import ChannelGateway
from gaia.core.handler import Handlers
from gaia.core.limits import Limits
from gaia.core.profiling import Profiles
from gaia.core.strangers import Strangers
from gaia.core.turns import Turns
from gaia.core.warming import Warming
from gaia.learning import Reader, build_digesting, build_jobs, build_profiles, build_reader
from gaia.memory.index.index import Index
from gaia.memory.index.opening import parts_opener
from gaia.memory.profile.prefix import room
from gaia.memory.profile.preload import Preload
from gaia.memory.recall import Recall
from gaia.memory.relevance import E5
from gaia.memory.search import Search
from gaia.ops.forgetting import Forgetting
from gaia.ops.status import Status
from gaia.ops.upkeep import Upkeep
from gaia.paths import Home
from gaia.ports import Channel, Clock, Hooked
from gaia.schedule.schedule import Schedule
from gaia.sessions.service import SessionStore
from gaia.settings.load import LoadedSettings
from gaia.store.engine import Database
from gaia.store.users import Users
from gaia.web.memory import memory_routes
from gaia.web.sessions import session_routes
from gaia.web.terminal import terminal_route

HOSTED_INDEX_SECONDS = 20.0
"""The pause before a hosted daemon loads its index, so that the first answer has the
processor for itself: a chat is often over by then, and what is due waits for the next.
Sessions that idled out are looked for no earlier, too."""


@dataclass(frozen=True, slots=True)
class App:
    """All parts of a gaia that is ready to start. `daemon` runs it."""

    model: ChatModel
    channels: Mapping[str, Channel]
    gateways: Mapping[str, ChannelGateway]
    handlers: Handlers
    strangers: Strangers
    dispatcher: Dispatcher
    delivery: Delivery
    warming: Warming
    index: Index
    forgetting: Forgetting
    digesting: Digesting
    upkeep: Upkeep
    profiles: Profiles
    schedule: Schedule
    status: Status
    hooks: Mapping[str, Hooked]
    local_routes: Sequence[BaseRoute]

    async def recover(self) -> None:
        """Take up what an earlier process left in the queues, or another one wrote there."""
        await self.handlers.recover()
        await self.dispatcher.recover()
        await self.strangers.recover()
        await self.delivery.recover()
        self.index.wake()
        self.forgetting.wake()


@dataclass(frozen=True, slots=True)
class Stores:
    """The open files of a home."""

    database: Database
    sessions: SessionStore


def build_app(
    home: Home,
    loaded: LoadedSettings,
    stores: Stores,
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
    settings, database = loaded.settings, stores.database
    users = Users(database, clock)
    access = Access(users, settings.access)
    greeter = TerminalGreeter(access, database, model)
    channels = dict(enabled_channels(loaded, greeter, clock, hosted=hosted))
    channels |= {channel.name: channel for channel in extra_channels}
    memory = settings.memory
    index = Index(
        parts_opener(home, memory, loaded.secrets),
        database=database,
        clock=clock,
        start_after_seconds=HOSTED_INDEX_SECONDS if hosted else 0.0,
    )
    search = Search(
        database,
        index,
        clock,
        fusion=memory.fusion,
        scale=E5 if memory.embedder.provider == "embedded" else None,
    )
    recall = Recall(search, clock, limit=memory.recall_limit)
    forgetting = Forgetting(home=home, database=database, sessions=stores.sessions, clock=clock)

    reader = reader or build_reader(home, loaded, model)
    profiles = build_profiles(memory, reader, database=database, clock=clock)

    def memory_changed() -> None:
        index.wake()
        forgetting.wake()

    def learned(user_id: str) -> None:
        memory_changed()
        profiles.wake(user_id)

    memory_tools = MemoryTools(
        database, search, clock, limit=memory.recall_limit, changed=memory_changed
    )
    conversation_tools = ConversationTools(database, clock, small=model.provider == "embedded")
    preload = Preload(
        database, clock, room(memory, small=model.provider == "embedded"), profiles.wake
    )
    agent = Agent(
        model=model,
        sessions=stores.sessions,
        tools=[
            *built_in_tools(clock),
            *((*memory_tools.all, *conversation_tools.all) if memory.enabled else ()),
        ],
        recall=recall if memory.enabled and memory.auto_recall else None,
        preload=preload if memory.enabled else None,
        settings=settings,
    )
    delivery = Delivery(
        database=database, channels=channels, clock=clock, settings=settings.delivery
    )
    turns = Turns()
    digesting = build_digesting(
        settings,
        reader,
        finder=search,
        database=database,
        sessions=stores.sessions,
        channels=channels,
        delivery=delivery,
        turns=turns,
        learned=learned,
        clock=clock,
    )
    upkeep = Upkeep(
        database=database,
        digesting=digesting,
        memory_changed=memory_changed,
        clock=clock,
        archive_days=memory.archive_days,
    )

    def after_turn() -> None:
        forgetting.after_turn()
        digesting.after_turn()

    handlers = Handlers(
        database=database,
        sessions=stores.sessions,
        users=users,
        agent=agent,
        attachments=Attachments(model, clock, settings.limits),
        channels=channels,
        delivery=delivery,
        clock=clock,
        settings=settings,
        turns=turns,
        before_turn=forgetting.before_turn,
        after_turn=after_turn,
    )
    status = Status(
        home=home,
        database=database,
        users=users,
        model=model,
        channels=channels,
        handlers=handlers,
        index=index,
        recall=recall,
        digesting=digesting,
        clock=clock,
    )
    strangers = Strangers(database=database, channels=channels, delivery=delivery, clock=clock)

    def takes(channel: str, media_type: str) -> bool:
        return channels[channel].takes(media_type)

    commands = Registry(
        [
            *conversation_commands(handlers.stop_turn, digesting),
            *linking_commands(stores.sessions, digesting),
            *(memory_commands if memory.enabled else without_memory)(search, memory_changed),
            export_command(takes),
            *status_commands(status),
            *people_commands(strangers.greet),
        ],
        clock,
    )
    dispatcher = Dispatcher(
        database=database,
        access=access,
        strangers=strangers,
        limits=Limits(settings.limits),
        users=users,
        handlers=handlers,
        delivery=delivery,
        commands=commands,
        channels=channels,
        clock=clock,
    )
    warming = Warming(database=database, users=users, agent=agent)
    return App(
        model=model,
        channels=channels,
        gateways={
            name: ChannelGateway(
                name,
                database=database,
                clock=clock,
                dispatcher=dispatcher,
                delivery=delivery,
                warming=warming,
            )
            for name in channels
        },
        handlers=handlers,
        strangers=strangers,
        dispatcher=dispatcher,
        delivery=delivery,
        warming=warming,
        index=index,
        forgetting=forgetting,
        profiles=profiles,
        digesting=digesting,
        upkeep=upkeep,
        schedule=Schedule(
            build_jobs(
                settings,
                digesting,
                upkeep,
                after_start=timedelta(seconds=HOSTED_INDEX_SECONDS if hosted else 0.0),
            ),
            clock,
        ),
        status=status,
        hooks={name: channel for name, channel in channels.items() if isinstance(channel, Hooked)},
        local_routes=[
            *memory_routes(search, index),
            *session_routes(database, digesting, clock),
            *(
                terminal_route(channel)
                for channel in channels.values()
                if isinstance(channel, TerminalChannel)
            ),
        ],
    )
