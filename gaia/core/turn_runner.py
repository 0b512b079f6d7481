"""`TurnRunner`: a turn's messages and files go to the model, and its answer comes back.

A model that refuses the request because of its files is asked again without
them, and told so: the person's words are never lost to a picture.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from gaia.agent.plugins import Meter
from gaia.agent.turn import Agent, Answer, Ask, Known, Scene
from gaia.core.attachments import Attachments
from gaia.core.message_text import render_messages, with_replied
from gaia.core.running_turns import RunningTurn
from gaia.core.turn_end import session_key
from gaia.errors import ModelRefusedError
from gaia.memory.search.recall import Cue
from gaia.messages import Attachment
from gaia.store import batches, replies
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.people.users import User
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


class TurnRunner:
    """Asks the model for the answers of turns."""

    def __init__(self, *, agent: Agent, attachments: Attachments) -> None:
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


def scene_of(conversation: Conversation, user: User, batch: Batch) -> Scene:
    """Who talks where in a turn."""
    is_present = batch.generation == conversation.generation
    return Scene(
        session_key(conversation, batch.generation),
        user.name,
        earlier_turns=conversation.session_turns if is_present else 0,
        in_group=not conversation.direct,
        zone=user.zone,
        context=batch.context,
    )
