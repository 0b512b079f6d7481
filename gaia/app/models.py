"""The part of the composition root that wires what answers: made from one set of settings,
and made anew when they change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gaia.agent.models import ChatModel
from gaia.agent.tools import built_in_tools
from gaia.agent.tools.conversations import ConversationTools
from gaia.agent.tools.memory import MemoryTools
from gaia.agent.turn import Agent
from gaia.app.extractor import build_ask, build_extractor
from gaia.core.attachments import Attachments
from gaia.core.turn_runner import TurnRunner
from gaia.current import Current
from gaia.memory.digest.findings import Reader
from gaia.memory.profile.prefix import room
from gaia.memory.profile.preload import Preload
from gaia.memory.recall import Recall
from gaia.memory.relevance import E5
from gaia.memory.search import Search, Weighing
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import MemorySettings
from gaia.store.engine import Database


@dataclass(frozen=True, slots=True)
class ModelStack:
    """What answers turns with one model, and what learns from them."""

    model: ChatModel
    agent: Agent
    asking: TurnRunner
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
            asking=TurnRunner(
                agent=agent,
                attachments=Attachments(model, self.clock, settings.limits),
            ),
            recall=recall,
            reader=reader or build_reader(self.home, loaded, model),
        )

    def _agent(self, loaded: LoadedSettings, model: ChatModel, recall: Recall) -> Agent:
        memory = loaded.settings.memory
        tools = built_in_tools(self.clock)
        if model.is_small and not loaded.settings.model.embedded.tools:
            tools = []
        elif memory.enabled:
            limit, changed = memory.recall_limit, self.memory_changed
            remembering = MemoryTools(
                self.database, self.search, self.clock, limit=limit, changed=changed
            )
            conversations = ConversationTools(self.database, self.clock, small=model.is_small)
            tools = [*tools, *remembering.all, *conversations.all]
        preload = Preload(self.clock, room(memory, small=model.is_small), self.wake_profile)
        return Agent(
            model=model,
            tools=tools,
            recall=recall if memory.enabled and memory.auto_recall else None,
            preload=preload if memory.enabled else None,
            settings=loaded.settings,
        )


def build_reader(home: Home, loaded: LoadedSettings, model: ChatModel) -> Reader:
    """The reader of the settings."""
    ask = build_ask(home, loaded, model)
    return Reader(ask, build_extractor(home, loaded, ask))


def weighing(memory: MemorySettings) -> Weighing:
    """How what is found is weighed, by the settings."""
    return Weighing(memory.fusion, E5 if memory.embedder.provider == "embedded" else None)


class CurrentModelStack:
    """What answers now, part by part, for those who use one of them."""

    def __init__(self, answering: ModelStack) -> None:
        self.model = Current(answering.model)
        self.agent = Current(answering.agent)
        self.asking = Current(answering.asking)
        self.recall = Current(answering.recall)
        self.reader = Current(answering.reader)

    def replace(self, answering: ModelStack) -> Callable[[], Awaitable[None]]:
        """Have another one answer; what this returns waits until the one before has ended
        all that it had begun."""
        self.recall.replace(answering.recall)
        self.model.replace(answering.model)
        uses = (
            self.agent.replace(answering.agent),
            self.asking.replace(answering.asking),
            self.reader.replace(answering.reader),
        )

        async def is_unused() -> None:
            for use in uses:
                await use.over()

        return is_unused
