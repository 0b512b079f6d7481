"""Departures: what becomes of what is under way in the chats of an address that is its user's no
longer. Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, select, update
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store import forgets, incognito, stops
from gaia.store.conversations import Conversation
from gaia.store.inbox import UNFINISHED
from gaia.store.people.spellings import spellings
from gaia.store.tables import ConversationRow, InboxRow, InboxState, OutboxRow, OutboxState

NOT_THEIRS = (
    "it was for somebody whose address that is no longer: 'gaia users link' would make it theirs"
)


def give_up(session: Session, user_id: str, address: Address, now: datetime) -> None:
    """End what waits in the chats that a user had at an address: nothing of theirs is sent there,
    no message from there is answered as theirs, and what is incognito there is over."""
    chats = _chats(user_id, address)
    _withhold(session, OutboxRow.conversation_id.in_(chats))
    waiting = InboxRow.conversation_id.in_(chats), InboxRow.state == InboxState.QUEUED
    stops.end(session, user_id, now, *waiting)
    if session.scalar(select(exists(chats.where(ConversationRow.is_incognito)))):
        forgets.fade(session, user_id, now)


def withhold_notices(session: Session, conversation_ids: Collection[int]) -> None:
    """Send nothing in these conversations that waits there and answers no message."""
    unasked = OutboxRow.turn_id.is_(None)
    _withhold(session, OutboxRow.conversation_id.in_(conversation_ids), unasked)


def stop_messages(session: Session, conversation: Conversation, now: datetime) -> None:
    """End all messages of a conversation without an answer, those that were begun too."""
    stops.end(
        session,
        conversation.user_id,
        now,
        InboxRow.conversation_id == conversation.conversation_id,
        InboxRow.state.in_(UNFINISHED),
    )


def _chats(user_id: str, address: Address) -> Select[int]:
    return select(ConversationRow.conversation_id).where(
        ConversationRow.user_id == user_id,
        ConversationRow.channel == address.channel,
        ConversationRow.sender.in_(spellings(address.sender)),
    )


def _withhold(session: Session, *which: ColumnElement[bool]) -> None:
    waiting = (OutboxRow.state.in_((OutboxState.PENDING, OutboxState.UNKNOWN)), *which)
    incognito.wipe_chunks(session, *waiting)
    session.execute(
        update(OutboxRow)
        .where(*waiting)
        .values(state=OutboxState.DEAD, error=NOT_THEIRS, not_before=None)
    )
