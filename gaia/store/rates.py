"""Rates: how many messages of a user were taken lately, and whether they were told.

The inbox itself is counted, so that a restart forgets nothing. Each function
works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, not_, select
from sqlalchemy.orm import Session

from gaia.store.tables import ConversationRow, InboxRow, InboxState

WINDOW = timedelta(minutes=1)

STOP = "/stop"
"""The one command that is not counted: who wants silence gets it."""


def taken(session: Session, user_id: str, now: datetime) -> int:
    """How many messages of a user were taken within the last minute, on all channels."""
    typed = func.lower(InboxRow.text)
    is_longer_name = typed.op("GLOB")(f"{STOP}[a-z0-9_]*")
    is_stop = InboxRow.is_command & typed.startswith(STOP) & not_(is_longer_name)
    return _count(session, user_id, now, InboxRow.state != InboxState.REFUSED, not_(is_stop))


def was_told(session: Session, user_id: str, now: datetime) -> bool:
    """Whether a refused message of theirs was answered within the last minute."""
    told = _count(
        session,
        user_id,
        now,
        InboxRow.state == InboxState.REFUSED,
        InboxRow.turn_id.is_not(None),
    )
    return told > 0


def _count(session: Session, user_id: str, now: datetime, *conditions: ColumnElement[bool]) -> int:
    theirs = select(ConversationRow.conversation_id).where(ConversationRow.user_id == user_id)
    return (
        session.scalar(
            select(func.count())
            .select_from(InboxRow)
            .where(
                InboxRow.conversation_id.in_(theirs),
                InboxRow.received_at > now - WINDOW,
                # What a clock that was set back calls the future does not count.
                InboxRow.received_at <= now,
                *conditions,
            )
        )
        or 0
    )
