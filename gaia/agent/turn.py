"""One turn: what the user said goes to the model through ADK, its answer comes back.

Bounded on all sides: the events that are read, the turns that are replayed, the calls of the
model and of tools. Which part of a turn is kept, also of a failed one, is told elsewhere.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events import Event
from google.adk.plugins.base_plugin import BasePlugin
from sqlalchemy.orm import Session

from gaia.agent import prompt
from gaia.agent.enclosures import Enclosure
from gaia.agent.models import ChatModel
from gaia.agent.plugins import (
    Capture,
    Instructions,
    Meter,
    ToolCap,
    ToolWatch,
    TurnContext,
    WriteContext,
    replay_window,
    replayed_turns,
)
from gaia.agent.prompt import PlainHistory
from gaia.agent.tools import Tool
from gaia.errors import ModelFruitlessError
from gaia.memory.contexts import GLOBAL
from gaia.memory.memory import Memory
from gaia.memory.search.pleasantries import QUESTION_MARKS
from gaia.memory.search.preload import NOTHING, Prefix, Preload, Preloaded
from gaia.memory.search.recall import Cue, Recall
from gaia.memory.text import content_terms
from gaia.sessions.service import (
    AGENT_NAME,
    TURN_ID,
    EventReader,
    TurnSession,
    answer_text,
    event_text,
    stored_events,
)
from gaia.settings.schema import Settings
from gaia.store import sessions
from gaia.store.sessions import SessionKey, StoredEvent
from gaia.store.tool_failures import NO_TOOLS, ToolFates

if TYPE_CHECKING:
    from gaia.agent.flow import TurnAgent


@dataclass(frozen=True, slots=True)
class Scene:
    """Who talks where, and how many turns the session holds already. In a group,
    `user_name` is the group's. `zone` names the user's time zone, if they have told it, and
    `context` is that of the turn."""

    key: SessionKey
    user_name: str
    earlier_turns: int
    in_group: bool = False
    zone: str | None = None
    context: str = GLOBAL


@dataclass(frozen=True, slots=True)
class Ask:
    """What one turn asks of the model. `text` is what the session keeps, and `words`
    the user's own of it. `sent_at` is the user's local time; of the `enclosures` the
    session keeps nothing."""

    turn_id: str
    text: str
    words: str
    sent_at: datetime
    stream: bool
    enclosures: tuple[Enclosure, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What gaia.db has for a turn: the last events of the session, what is told whatever the
    user says, and the memories that may go with the message; None if nobody looked yet."""

    events: Sequence[str]
    preloaded: Preloaded = NOTHING
    offers: Sequence[Memory] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said in the end, and the events by which the session tells of the turn.
    `recalled` are the memories that went with the message, `tools` tells how those fared."""

    text: str
    events: Sequence[StoredEvent]
    called_tools: bool = False
    recalled: Sequence[int] = ()
    tools: ToolFates = NO_TOOLS


class Preview(Protocol):
    """Hears of a turn while it runs."""

    def text(self, text: str) -> None:
        """The model said more."""
        ...

    def tool(self, name: str) -> None:
        """The model called a tool."""
        ...


class Agent:
    """Answers turns with one model and one set of tools; without `recall` nothing of
    long-term memory goes with a message unasked, and without `preload` nothing of it
    stands before a conversation."""

    def __init__(
        self,
        *,
        model: ChatModel,
        tools: Sequence[Tool],
        recall: Recall | None = None,
        preload: Preload | None = None,
        settings: Settings,
    ) -> None:
        self.model = model
        self._tools = tools
        self._kit: TurnAgent | None = None
        self._recall = recall
        self._preload = preload
        self._settings = settings
        self._held_time = prompt.CachedTime()
        self._events = EventReader()

    def cue(self, session: Session, user_id: str, words: str) -> Cue | None:
        """Look at a message that has come, so that `with_meaning` can search while it waits
        for its turn; None where nothing of memory goes with a message unasked."""
        return None if self._recall is None else self._recall.cue(session, user_id, words)

    async def with_meaning(self, user_id: str, cue: Cue) -> Cue:
        """Search by the meaning of a message."""
        return cue if self._recall is None else await self._recall.with_meaning(user_id, cue)

    def read(
        self, session: Session, scene: Scene, memory_version: int, cue: Cue | None = None
    ) -> Known:
        """Read all that a turn needs. Without a `cue` memories are looked for by `answer`."""
        offers: Sequence[Memory] | None = () if self._recall is None else None
        if self._recall is not None and cue is not None:
            offers = self._recall.offers_to(session, scene.key.user_id, cue, scene.context)
        preloaded = NOTHING
        if self._preload is not None:
            preloaded = self._preload.read(
                session, scene.key.user_id, memory_version, scene.context
            )
        turns = self._replayed_turns(scene)
        return Known(sessions.last_turns(session, scene.key, turns), preloaded, offers)

    def turns_in(self, known: Known) -> frozenset[str]:
        """The turns that the model reads again before the message."""
        told = (each.custom_metadata or {} for each in self._events.read(known.events))
        return frozenset(str(each.get(TURN_ID)) for each in told)

    def forget_known(self) -> None:
        """Hold nothing in memory of what was read: some of it may have been forgotten."""
        self._events.clear()
        if self._preload is not None:
            self._preload.clear()

    async def answer(
        self, scene: Scene, ask: Ask, known: Known, meter: Meter, preview: Preview
    ) -> Answer:
        """Run the turn and return the model's answer, with what the turn adds to the session.

        Raises:
            ModelError: The model gave no answer.
        """
        meter.model, meter.tariff = self.model.name, self.model.tariff
        turns = self._replayed_turns(scene)
        session = TurnSession(scene.key, self._events.read(known.events))
        if self._preload is not None:
            begins = not scene.earlier_turns
            self._preload.note_use(scene.key.user_id, known.preloaded, begins=begins)
        recalled: list[int] = []
        write = await self._context_writer(scene, ask, known, recalled)
        context = TurnContext(write, ask.enclosures)
        cap, watch = ToolCap(self._most_tool_calls), ToolWatch()
        told = self._instructions(scene, known.preloaded.prefix, ask.sent_at)
        plugins = [replay_window(turns), context, meter, cap, watch]
        config = self._run_config(ask)
        said: list[Event] = []
        try:
            async with aclosing(self._run(told, plugins, session, ask.text, config)) as events:
                async for event in events:
                    if event.author == AGENT_NAME:
                        _show(event, preview)
                        if not event.partial:
                            said.append(event)
        except LlmCallsLimitExceededError as exc:
            raise ModelFruitlessError(
                "the model called tools without end: limits.model_calls_per_turn is "
                f"{self._settings.limits.model_calls_per_turn}"
            ) from exc
        answer = answer_text(said)
        if answer is None:
            raise ModelFruitlessError("the model gave an empty answer")
        called = any(event.get_function_calls() for event in said)
        added = stored_events(session.added)
        return Answer(answer, added, called, recalled, watch.fates)

    async def warm(self, scene: Scene, known: Known, now: datetime) -> None:
        """Get ready for the next request: load what ADK loads at its first use, and
        let the model read what the request begins with, where that helps it. `now` is the
        user's local time, aware.

        Raises:
            ModelError: The model cannot be had.
        """
        turns = self._replayed_turns(scene)
        rehearsal = TurnSession(scene.key, self._events.read(known.events))
        capture = Capture()
        plugins: list[BasePlugin] = [replay_window(turns), capture]
        told = self._instructions(scene, known.preloaded.prefix, now)
        async with aclosing(self._run(told, plugins, rehearsal, "-", RunConfig())) as events:
            async for _ in events:
                pass
        if capture.request is not None and self.model.warms:
            capture.request.contents.pop()
            await self.model.warm(capture.request)

    async def _context_writer(
        self, scene: Scene, ask: Ask, known: Known, recalled: list[int]
    ) -> WriteContext:
        """What writes the turn's context, and notes which memories are in it."""
        recall, offers = self._recall, known.offers
        if recall is not None and offers is None:
            offers = await recall.offers(scene.key.user_id, ask.words, scene.context)
        due, recent = known.preloaded.due, known.preloaded.recent
        if self.model.is_small:
            # It would answer the reminder, whatever the message says.
            due, recent = _asked_for(due, ask.words), ()
        told = [*known.preloaded.prefix.texts, *(reminder.text for reminder in due)]
        context = prompt.plain_context if self.model.is_small else prompt.turn_context
        given = {each.__name__ for each in self._tools}
        failing = [each for each in known.preloaded.failing if each.tool in given]

        def write(texts: Sequence[str]) -> str:
            memories = recall.choose(offers or (), [*texts, *told], recent) if recall else ()
            recalled[:] = [each.memory_id for each in memories]
            return context(sent_at=ask.sent_at, memories=memories, due=due, failing=failing)

        return write

    @property
    def _most_tool_calls(self) -> int:
        return self._settings.limits.tool_calls_per_turn

    def _replayed_turns(self, scene: Scene) -> int:
        return replayed_turns(scene.earlier_turns, self._settings.sessions.window_turns)

    def _instructions(self, scene: Scene, prefix: Prefix, now: datetime) -> str:
        own = self._settings.model.instructions
        if self.model.is_small:
            return prompt.plain_instructions(
                user=scene.user_name,
                in_group=scene.in_group,
                own=own,
                remembers=self._recall is not None,
                prefix=prefix,
                now=self._held_time.at(scene.key.session_id, now),
            )
        return prompt.instructions(
            user=scene.user_name,
            channel=scene.key.channel,
            in_group=scene.in_group,
            own=own,
            remembers=self._settings.memory.enabled,
            prefix=prefix,
            zone=now.tzinfo,
        )

    def _run(
        self,
        instructions: str,
        plugins: Sequence[BasePlugin],
        session: TurnSession,
        text: str,
        config: RunConfig,
    ) -> AsyncGenerator[Event, None]:
        # It takes half a second to load, and a start needs none of it.
        from gaia.agent.flow import TurnAgent, run

        if self._kit is None:
            self._kit = TurnAgent(self.model.llm, self._tools if self._most_tool_calls else ())
        history = PlainHistory(self.model.provider)
        said = [Instructions(instructions), history, *plugins]
        return run(self._kit, session, said, text, config)

    def _run_config(self, ask: Ask) -> RunConfig:
        return RunConfig(
            streaming_mode=StreamingMode.SSE if ask.stream else StreamingMode.NONE,
            max_llm_calls=self._settings.limits.model_calls_per_turn,
            custom_metadata={TURN_ID: ask.turn_id},
        )


def _asked_for(due: Sequence[Memory], words: str) -> Sequence[Memory]:
    """Those reminders about which a message asks, by a word of theirs."""
    asked = content_terms(words) if QUESTION_MARKS.search(words) else frozenset()
    return [each for each in due if not asked.isdisjoint(content_terms(each.text))]


def _show(event: Event, preview: Preview) -> None:
    for call in event.get_function_calls():
        if not event.partial:
            preview.tool(call.name or "")
    if event.partial:
        preview.text(event_text(event))
