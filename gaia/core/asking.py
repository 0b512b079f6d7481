"""Asking: a turn's messages and files go to the model, and its answer comes back.

A model that refuses the request because of its files is asked again without
them, and told so: the person's words are never lost to a picture.
"""

from __future__ import annotations

import logging

from gaia.agent.plugins import Meter
from gaia.agent.turn import Agent, Answer, Ask, Scene
from gaia.core.attachments import Attachments, Gathered
from gaia.core.running_turn import RunningTurn
from gaia.core.told import told
from gaia.errors import ModelRefusedError
from gaia.messages import Attachment
from gaia.store import batches
from gaia.store.batches import Batch
from gaia.store.engine import Database
from gaia.store.usage import Tariff

logger = logging.getLogger(__name__)

EARLIER_TURNS = 3
"""The files of so many turns before are given to the model again, for questions
that follow."""


class Asking:
    """Asks the model for the answers of turns."""

    def __init__(
        self,
        *,
        database: Database,
        agent: Agent,
        attachments: Attachments,
    ) -> None:
        self._database = database
        self._agent = agent
        self._attachments = attachments

    @property
    def tariff(self) -> Tariff:
        """Who knows what the answers cost."""
        return self._agent.model.tariff

    async def answer(
        self, scene: Scene, batch: Batch, running: RunningTurn, meter: Meter
    ) -> Answer:
        """Run the turn and return the model's answer.

        Raises:
            ModelError: The model gave no answer.
        """
        gathered = await self._gather(batch, running)
        while True:
            ask = Ask(
                batch.turn_id,
                told(batch.messages, in_group=scene.in_group, fates=gathered.fates),
                batch.text,
                batch.sent_at.astimezone(),
                stream=batch.wants_preview,
                enclosures=gathered.enclosures,
            )
            try:
                answer = await self._agent.answer(scene, ask, meter, running)
            except ModelRefusedError as exc:
                fewer = gathered.fewer()
                if fewer is None:
                    raise
                logger.warning("asking again without files: %s", exc)
            else:
                self._attachments.remember_refused(running.channel, gathered)
                return answer
            running.begin(batch.provider_message_ids)
            gathered = fewer

    async def _gather(self, batch: Batch, running: RunningTurn) -> Gathered:
        present = _attachments(batch)
        earlier = await self._database.read(batches.earlier_attachments, batch, turns=EARLIER_TURNS)
        return await self._attachments.gather(running.channel, present, earlier)


def _attachments(batch: Batch) -> tuple[Attachment, ...]:
    return tuple(each for message in batch.messages for each in message.attachments)
