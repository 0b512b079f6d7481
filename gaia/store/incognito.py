"""Incognito: what ends with it, and what goes of its messages once those are answered.

Each function works within the caller's transaction. What the files still hold of it goes by
`forgets.fade`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from gaia.store import forgets, inbox, overheard
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxRow, OutboxFileRow, OutboxRow


def leave(session: Session, conversation: Conversation, *, after: int, now: datetime) -> None:
    """End what is incognito in a conversation: with what came after the inbox id `after` begins
    its next session, and what the files still hold of this one is to go."""
    overheard.drop(session, conversation.conversation_id)
    inbox.begin_next_session(session, conversation.conversation_id, after=after)
    inbox.switch(session, conversation.conversation_id, after=after, is_incognito=False)
    forgets.fade(session, conversation.user_id, now)


def wipe_turn(session: Session, turn_id: str) -> None:
    """Keep nothing of what the messages of an incognito turn say."""
    wipe_messages(session, InboxRow.turn_id == turn_id)


def wipe_messages(session: Session, *which: ColumnElement[bool]) -> None:
    """Keep nothing of what these messages say, as far as they are incognito."""
    hidden = (InboxRow.is_incognito.is_(True), *which)
    session.execute(update(InboxRow).where(*hidden).values(**inbox.NOTHING))


def wipe_chunk(session: Session, outbox_id: int) -> None:
    """Keep nothing of what a chunk says, if it is incognito."""
    wipe_chunks(session, OutboxRow.outbox_id == outbox_id)


def wipe_chunks(session: Session, *which: ColumnElement[bool]) -> None:
    """Keep nothing of what these chunks say, as far as they are incognito."""
    hidden = (OutboxRow.is_incognito.is_(True), *which)
    session.execute(update(OutboxRow).where(*hidden).values(text="", buttons=[]))
    chunks = select(OutboxRow.outbox_id).where(*hidden)
    session.execute(delete(OutboxFileRow).where(OutboxFileRow.outbox_id.in_(chunks)))
