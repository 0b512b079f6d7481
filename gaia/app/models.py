"""The part of the composition root that wires what answers: made from one set of settings,
and rebuilt when they change. What reads conversations is chosen here as well, and what the
first turn of a process would otherwise have to wait for is loaded."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from gaia import garbage
from gaia.agent.models import ChatModel
from gaia.agent.structured import StructuredModel
from gaia.agent.tools import Tool, built_in_tools
from gaia.agent.tools.conversations import ConversationTools
from gaia.agent.tools.letters import LetterTools
from gaia.agent.tools.memory import MemoryTools
from gaia.agent.tools.reminders import ReminderTools
from gaia.agent.turn import Agent
from gaia.app.base import Base, MemoryParts
from gaia.core.attachments import Attachments
from gaia.core.budgets import Budgets, Spending
from gaia.core.profile_worker import ProfileWorker
from gaia.core.turn_runner import TurnRunner
from gaia.digest.extract import GaiaExtractor
from gaia.digest.extractive import SentenceExtractor
from gaia.digest.mem0 import Mem0Extractor
from gaia.memory.extraction import AskModel, Reader
from gaia.memory.index.factories import AUTO
from gaia.memory.index.llm import Mem0Ask
from gaia.memory.index.opener import open_llm
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.search.preload import Preload, room
from gaia.memory.search.recall import Recall
from gaia.memory.search.search import Search
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

LATE = (
    "gaia.agent.flow",
    "google.adk.telemetry.node_tracing",
    "google.adk.tools.agent_tool",
)
"""What the first turn needs, for half a second: the loop would stand still."""


@dataclass(frozen=True, slots=True)
class ModelStack:
    """What answers turns with one model, and what learns from them."""

    model: ChatModel
    agent: Agent
    runner: TurnRunner
    recall: Recall
    reader: Reader


@dataclass(frozen=True, slots=True)
class ModelStackBuilder:
    """Makes what answers, on parts that stay. `memory_changed` is called when a tool changed
    a memory, `wake_profile` when a user's profile may be out of date."""

    home: Home
    database: Database
    search: Search
    clock: Clock
    memory_changed: Callable[[], None]
    wake_profile: Callable[[str], None]

    def build(
        self, loaded: LoadedSettings, model: ChatModel, reader: Reader | None = None
    ) -> ModelStack:
        """Make it; nothing is asked of the model. `reader` is in the place of the settings'."""
        settings = loaded.settings
        recall = Recall(self.search, self.clock, limit=settings.memory.recall_limit)
        agent = self._agent(loaded, model, recall)
        return ModelStack(
            model=model,
            agent=agent,
            runner=TurnRunner(
                agent=agent, attachments=Attachments(model, self.clock, settings.limits)
            ),
            recall=recall,
            reader=reader or self._reader(loaded, model),
        )

    def _agent(self, loaded: LoadedSettings, model: ChatModel, recall: Recall) -> Agent:
        memory = loaded.settings.memory
        preload = Preload(self.clock, room(memory, small=model.is_small), self.wake_profile)
        return Agent(
            model=model,
            tools=self._tools(loaded.settings, is_small=model.is_small),
            recall=recall if memory.enabled and memory.auto_recall else None,
            preload=preload if memory.enabled else None,
            settings=loaded.settings,
        )

    def _tools(self, settings: Settings, *, is_small: bool) -> Sequence[Tool]:
        database, clock, memory = self.database, self.clock, settings.memory
        if is_small and not settings.model.embedded.tools:
            return ()
        if not memory.enabled:
            return built_in_tools(clock)
        limit, hour, changed = memory.recall_limit, memory.reminder_hour, self.memory_changed
        return (
            *built_in_tools(clock),
            *MemoryTools(database, self.search, clock, limit=limit, changed=changed).all,
            ReminderTools(database, clock, hour=hour, changed=changed).remind,
            ConversationTools(database, clock, small=is_small).search_conversations,
            LetterTools(database, clock).send_message,
        )

    def _reader(self, loaded: LoadedSettings, model: ChatModel) -> Reader:
        """Who finds what to remember, by `memory.extractor`, and the model of `memory.llm` that is
        asked for it."""
        memory, ask = loaded.settings.memory, self._ask(loaded, model)
        if memory.extractor == "mem0":
            folder = self.home.memory / "mem0"
            return Reader(ask, Mem0Extractor(ask, memory.extraction_instructions, folder))
        if ask.is_small:
            return Reader(ask, SentenceExtractor(ask.name))
        return Reader(ask, GaiaExtractor(ask, memory.extraction_instructions))

    def _ask(self, loaded: LoadedSettings, model: ChatModel) -> AskModel:
        """The model that answers in chats, or another by mem0's client, which is opened when it is
        first asked."""
        llm = loaded.settings.memory.llm
        if llm.provider == AUTO:
            return StructuredModel(model)
        name = llm.config.get("model")
        return Mem0Ask(
            partial(open_llm, self.home, llm, loaded.secrets),
            f"{llm.provider}/{name}" if name else llm.provider,
            seconds=loaded.settings.model.timeout_seconds,
        )


class CurrentModelStack:
    """What answers now, part by part, for those who use one of them."""

    def __init__(self, answering: ModelStack) -> None:
        self.model = Swappable(answering.model)
        self.agent = Swappable(answering.agent)
        self.runner = Swappable(answering.runner)
        self.recall = Swappable(answering.recall)
        self.reader = Swappable(answering.reader)

    def replace(self, answering: ModelStack) -> Callable[[], Awaitable[None]]:
        """Have another one answer; what this returns waits until the one before has ended
        all that it had begun."""
        self.recall.replace(answering.recall)
        self.model.replace(answering.model)
        uses = (
            self.agent.replace(answering.agent),
            self.runner.replace(answering.runner),
            self.reader.replace(answering.reader),
        )

        async def is_unused() -> None:
            for use in uses:
                await use.returned()

        return is_unused


@dataclass(frozen=True, slots=True)
class ModelParts:
    """What asks models, and what counts how much is asked of them."""

    builder: ModelStackBuilder
    answering: CurrentModelStack
    spending: Spending
    budgets: Budgets
    profiles: ProfileWorker


def build_models(
    base: Base, memory: MemoryParts, model: ChatModel, reader: Reader | None
) -> ModelParts:
    """Build them; nothing is asked of the model. `reader` is in the place of the settings'."""
    builder = ModelStackBuilder(
        home=base.home,
        database=base.database,
        search=memory.search,
        clock=base.clock,
        memory_changed=memory.changed,
        wake_profile=lambda user_id: profiles.wake(user_id),
    )
    answering = CurrentModelStack(builder.build(base.loaded, model, reader))
    spending, budgets = Spending(base.settings, base.clock), Budgets(base.settings, base.clock)
    profiles = ProfileWorker(
        database=base.database,
        reader=answering.reader,
        clock=base.clock,
        settings=base.settings,
        spending=spending,
        budgets=budgets,
    )
    return ModelParts(builder, answering, spending, budgets, profiles)


def load_first_use() -> None:
    """Load what the first turn needs, in the thread that calls this. What cannot be loaded
    fails in a turn, and says so there."""
    with garbage.building():
        is_pleasantry("hello")
        for name in LATE:
            try:
                import_module(name)
            except ImportError:
                logger.warning("the agent kit has no %s: the first turn loads it", name)
