"""Reminders in the outbox: they are written at their time, and worded again when they leave,
which may be days later.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import reminder_text
from gaia.memory.reminders import reminders
from gaia.memory.reminders.reminders import Told
from gaia.ports import Channel
from gaia.store import chunk_states, outbox
from gaia.store.conversations import Conversation
from gaia.store.outbox import Due, SaidReminder
from gaia.store.tables import OutboxState

logger = logging.getLogger(__name__)


def write(
    session: Session, conversation: Conversation, channel: Channel, told: Told, now: datetime
) -> None:
    """Write a reminder, in the place of what still waits of an earlier time."""
    reminder_id = told.reminder.memory_id
    chunk_states.drop_reminder(session, told.reminder.user_id, reminder_id)
    outbox.add(
        session,
        conversation_id=conversation.conversation_id,
        turn_id=None,
        chunks=channel.split(_text(told, now)),
        now=now,
        buttons=reminder_text.due_buttons(reminder_id),
        says=SaidReminder(reminder_id, told.was_due),
    )


def leaving(session: Session, due: Due, channel: Channel, now: datetime) -> Due | None:
    """What is due, as it leaves now: a reminder that waited says when it was due. None, and it
    is deleted, where nobody needs it any more, or it was said again since.

    What may have arrived is repeated word for word. A reminder that its channel has cut in
    pieces is sent as it was written.
    """
    chunk = due.chunk
    if chunk.reminder_id is None or chunk.was_due is None:
        return due
    if chunk.seq or chunk.state is not OutboxState.PENDING:
        return due
    user_id, told = due.conversation.user_id, None
    if not chunk_states.is_said_again(session, user_id, chunk):
        told = reminders.still_to_tell(session, user_id, chunk.reminder_id, chunk.was_due)
    if told is None:
        chunk_states.drop_reminder(session, user_id, chunk.reminder_id, chunk.created_at)
        logger.info("chunk %d is not sent: its reminder is over", chunk.outbox_id)
        return None
    texts = channel.split(_text(told, now))
    if not chunk.final or len(texts) > 1 or texts[0] == chunk.text:
        return due
    chunk_states.reword(session, chunk.outbox_id, texts[0])
    return replace(due, chunk=replace(chunk, text=texts[0]))


def _text(told: Told, now: datetime) -> str:
    return reminder_text.due_text(told.reminder, told.was_due, now, told.zone)
