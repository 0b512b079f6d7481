"""Which conversations nobody writes in any more, told from the database's own times.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, exists, select, update
from sqlalchemy.orm import Session

from gaia.store import conversations
from gaia.store.conversations import Conversation
from gaia.store.inbox import UNFINISHED
from gaia.store.tables import ConversationRow, InboxRow


def idle_since(session: Session, before: datetime) -> Sequence[Conversation]:
    """The conversations in which something was said since the last session, nothing waits,
    and the last message came before a time; the longest quiet ones first."""
    rows = session.scalars(
        select(ConversationRow.conversation_id)
        .where(*_is_idle(before))
        .order_by(ConversationRow.last_message_at, ConversationRow.conversation_id)
    )
    return _conversations(session, rows.all())


def talked_in(session: Session, user_id: str | None = None) -> Sequence[Conversation]:
    """The conversations in which something was said since the last session, of one user if
    named."""
    whose = () if user_id is None else (ConversationRow.user_id == user_id,)
    rows = session.scalars(
        select(ConversationRow.conversation_id)
        .where(ConversationRow.session_turns > 0, *whose)
        .order_by(ConversationRow.conversation_id)
    )
    return _conversations(session, rows.all())


def is_idle(session: Session, conversation_id: int, before: datetime) -> bool:
    """Whether that is so of one conversation."""
    this = ConversationRow.conversation_id == conversation_id
    return bool(session.scalar(select(exists().where(this, *_is_idle(before)))))


def is_any_yet_to_come(session: Session, now: datetime) -> bool:
    """Whether the last message of a conversation seems yet to come."""
    return bool(session.scalar(select(exists().where(ConversationRow.last_message_at > now))))


def bring_back_to(session: Session, now: datetime) -> int:
    """Let conversations whose last message seems yet to come idle from now on: the clock
    was set back since. Returns how many."""
    result = session.execute(
        update(ConversationRow)
        .where(ConversationRow.last_message_at > now)
        .values(last_message_at=now)
        .returning(ConversationRow.conversation_id)
    )
    return len(result.all())


def _conversations(session: Session, conversation_ids: Sequence[int]) -> Sequence[Conversation]:
    found = [conversations.get(session, each) for each in conversation_ids]
    return [each for each in found if each is not None]


def _is_idle(before: datetime) -> Sequence[ColumnElement[bool]]:
    unfinished = exists().where(
        InboxRow.conversation_id == ConversationRow.conversation_id,
        InboxRow.state.in_(UNFINISHED),
    )
    return (
        ConversationRow.last_message_at <= before,
        ConversationRow.session_turns > 0,
        ~unfinished,
    )
