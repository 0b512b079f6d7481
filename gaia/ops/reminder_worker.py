"""The worker that says reminders at their time, where their user last wrote.

What is said and that it is said are one transaction: after a kill it is said once. It looks
often enough that neither a clock that was set nor a machine that slept makes a reminder late by
more than a moment.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import reminder_chunks
from gaia.core.delivery import Delivery
from gaia.memory import credentials
from gaia.memory.reminders import reminders
from gaia.memory.reminders.reminders import Told
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.people import own_chats
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

LOOK_SECONDS = 15.0
"""How often it is looked for reminders that others wrote, and at the clock."""


class ReminderWorker:
    """Says reminders, while `run` runs."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        delivery: Delivery,
        clock: Clock,
        settings: Swappable[Settings],
    ) -> None:
        self._database = database
        self._channels = channels
        self._delivery = delivery
        self._clock = clock
        self._settings = settings

    async def run(self) -> None:
        """Say what is due until cancelled."""
        while True:
            seconds = await self.say_due() if self._settings.value.memory.enabled else LOOK_SECONDS
            await self._clock.sleep(seconds)

    async def say_due(self) -> float:
        """Say all that is due; returns after how many seconds to look again."""
        now = self._clock.now()
        if await self._database.read(reminders.was_said_ahead, now):
            await self._database.write(reminders.mend_after_wrong_clock, now)
        upcoming = await self._database.read(reminders.next_due, now)
        if upcoming is not None and upcoming <= now:
            written = await self._database.write(self._say, now)
            for conversation_id in written:
                self._delivery.wake(conversation_id)
            if len(written) >= reminders.AT_ONCE:
                return 0.0
            # What is due still waits for a channel: it holds up nothing that is to come.
            upcoming = await self._database.read(reminders.next_due, now, now)
        if upcoming is None:
            return LOOK_SECONDS
        return min(LOOK_SECONDS, (upcoming - now).total_seconds())

    def _say(self, session: Session, now: datetime) -> list[int]:
        """Write what is due, of each user who can be told; returns in which conversations."""
        written: list[int] = []
        unplaced: set[str] = set()
        while len(written) < reminders.AT_ONCE and (
            due := reminders.take_due(session, now, unplaced)
        ):
            for told in due:
                conversation = self._place(session, told, unplaced)
                if conversation is None:
                    continue
                # What looks like a key is told to nobody.
                if credentials.find(told.reminder.text) is None:
                    channel = self._channels[conversation.channel]
                    reminder_chunks.write(session, conversation, channel, told, now)
                    written.append(conversation.conversation_id)
                reminders.mark_said(session, told.reminder.memory_id, now)
        if written:
            logger.info("said %d reminders", len(written))
        return written

    def _place(self, session: Session, told: Told, unplaced: set[str]) -> Conversation | None:
        """Where a group asked for it, or its user last wrote, of the channels that are on; who
        has written on none of them is one of `unplaced` from now on."""
        user_id, turn_id = told.reminder.user_id, told.reminder.turn_id
        if user_id in unplaced:
            return None
        asked_in = turn_id and own_chats.group_of_turn(session, user_id, turn_id)
        if asked_in and asked_in.channel in self._channels:
            return asked_in
        found = own_chats.last_written(session, user_id, list(self._channels))
        if found is None:
            unplaced.add(user_id)
        return found
