"""`TurnRunner`: a turn's messages and files go to the model, and its answer comes back.

A model that refuses the request because of its files is asked again without
them, and told so: the person's words are never lost to a picture. `RunningTurn` is the turn
that a handler is busy with: what it previews, and how it is stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from gaia.agent.plugins import Meter
from gaia.agent.turn import Agent, Answer, Ask, Known, Scene
from gaia.core.attachments import Attachments
from gaia.core.message_text import render_messages, with_replied
from gaia.errors import ModelRefusedError
from gaia.memory.search.recall import Cue
from gaia.messages import Attachment, TurnStarted, TurnText, TurnTool
from gaia.ports import Channel
from gaia.store import batches, replies
from gaia.store.batches import Batch
from gaia.store.replies import Earlier
from gaia.store.usage import Tariff
from gaia.zones import zone_of

logger = logging.getLogger(__name__)

EARLIER_TURNS = 3
"""The files of so many turns before are given to the model again, for questions
that follow."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a turn begins with: what the agent knows, the files of the turns before, and the
    messages that it replies to, by the provider's ids for them."""

    known: Known
    earlier_attachments: Sequence[Attachment]
    replied_to: Mapping[str, Earlier] = field(default_factory=dict)

    def with_events(self, events: Sequence[str]) -> Sight:
        """The same with what an incognito session holds in the place of what is stored."""
        return replace(self, known=replace(self.known, events=events))


class TurnStoppedError(Exception):
    """The user stopped the turn. `said` is what was previewed of its answer."""

    def __init__(self, said: str) -> None:
        super().__init__("stopped by the user")
        self.said = said


@dataclass(slots=True)
class RunningTurn:
    """The turn that a conversation's handler is busy with. Implements the agent's `Preview`."""

    channel: Channel
    chat: str
    turn_id: str
    task: asyncio.Task[Answer] | None = None
    stopped: bool = False
    said: list[str] = field(default_factory=list)

    def begin(self, in_reply_to: tuple[str, ...]) -> None:
        """Say that it begins, or begins again: what was previewed until now is void."""
        self.said.clear()
        self.channel.watch(TurnStarted(self.chat, self.turn_id, in_reply_to))

    def text(self, text: str) -> None:
        self.said.append(text)
        self.channel.watch(TurnText(self.chat, self.turn_id, text))

    def tool(self, name: str) -> None:
        self.said.clear()
        self.channel.watch(TurnTool(self.chat, self.turn_id, name))

    async def run(self, answer: Coroutine[object, object, Answer]) -> Answer:
        """Await the answer, unless the turn is stopped first."""
        self.task = asyncio.create_task(answer, name=f"turn-{self.turn_id}")
        if self.stopped:
            self.task.cancel()
        try:
            answered = await self.task
        except asyncio.CancelledError as exc:
            handler = asyncio.current_task()
            if handler is not None and handler.cancelling():
                raise
            if not self.stopped:
                raise RuntimeError("something that the turn awaited was cancelled") from exc
        except Exception:
            if not self.stopped:
                raise
        else:
            if not self.stopped:
                return answered
        raise TurnStoppedError("".join(self.said))

    def stop(self) -> bool:
        """Stop the turn; False when its answer is there already."""
        if self.task is not None:
            if self.task.done() and not self.task.cancelled() and not self.task.exception():
                return False
            self.task.cancel()
        self.stopped = True
        return True


class TurnRunner:
    """Asks the model for the answers of turns."""

    def __init__(
        self,
        *,
        agent: Agent,
        attachments: Attachments,
    ) -> None:
        self._agent = agent
        self._attachments = attachments

    @property
    def tariff(self) -> Tariff:
        """Who knows what the answers cost."""
        return self._agent.model.tariff

    def cue(self, session: Session, user_id: str, words: str) -> Cue | None:
        """Look at a message that has come, within the transaction that keeps it."""
        return self._agent.cue(session, user_id, words)

    async def with_meaning(self, user_id: str, cue: Cue) -> Cue:
        """Search by its meaning, before its turn begins."""
        return await self._agent.with_meaning(user_id, cue)

    def read(
        self, session: Session, scene: Scene, memory_version: int, batch: Batch, cue: Cue | None
    ) -> Sight:
        """Read all that a turn needs. A `cue` to other words is of no use to it."""
        fits = cue is not None and cue.words == batch.text
        known = self._agent.read(session, scene, memory_version, cue if fits else None)
        replied_to = [each.replied_to.message_id for each in batch.messages if each.replied_to]
        return Sight(
            known,
            batches.earlier_attachments(session, batch, turns=EARLIER_TURNS),
            replies.find(session, batch.conversation_id, [each for each in replied_to if each]),
        )

    async def answer(
        self, scene: Scene, batch: Batch, sight: Sight, running: RunningTurn, meter: Meter
    ) -> Answer:
        """Run the turn and return the model's answer.

        Raises:
            ModelError: The model gave no answer.
        """
        gathered = await self._attachments.gather(
            running.channel, _attachments(batch), sight.earlier_attachments
        )
        held = self._agent.turns_in(sight.known)
        messages = [with_replied(each, sight.replied_to, held) for each in batch.messages]
        while True:
            ask = Ask(
                batch.turn_id,
                render_messages(messages, in_group=scene.in_group, fates=gathered.fates),
                batch.text,
                batch.sent_at.astimezone(zone_of(scene.zone)),
                stream=batch.wants_preview,
                enclosures=gathered.enclosures,
            )
            try:
                answer = await self._agent.answer(scene, ask, sight.known, meter, running)
            except ModelRefusedError as exc:
                fewer = gathered.fewer()
                if fewer is None:
                    raise
                logger.warning("asking again without files: %s", exc.bare)
            else:
                self._attachments.remember_refused(running.channel, gathered)
                return answer
            running.begin(batch.provider_message_ids)
            gathered = fewer


def _attachments(batch: Batch) -> tuple[Attachment, ...]:
    return tuple(each for message in batch.messages for each in message.attachments)
