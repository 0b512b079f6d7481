"""Rates: how many messages of a user were taken lately, and whether they were told.

The inbox itself is counted, so that a restart forgets nothing. Each function
works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, ScalarSelect, SQLColumnExpression, func, not_, select
from sqlalchemy.orm import Session, aliased

from gaia.store.tables import ConversationRow, InboxRow, InboxState

WINDOW = timedelta(minutes=1)

STOP = "/stop"
"""The one command that is not counted: who wants silence gets it."""


def taken(user_id: SQLColumnExpression[str] | str, now: datetime) -> ScalarSelect[int]:
    """How many messages of a user were taken within the last minute, on all channels, as a
    part of a query."""
    typed = func.lower(InboxRow.text)
    is_longer_name = typed.op("GLOB")(f"{STOP}[a-z0-9_]*")
    is_stop = InboxRow.is_command & typed.startswith(STOP) & not_(is_longer_name)
    return _count(user_id, now, InboxRow.state != InboxState.REFUSED, not_(is_stop))


def was_told(session: Session, user_id: str, now: datetime) -> bool:
    """Whether a refused message of theirs was answered within the last minute."""
    told = _count(
        user_id,
        now,
        InboxRow.state == InboxState.REFUSED,
        InboxRow.turn_id.is_not(None),
    )
    return bool(session.scalar(select(told)))


def _count(
    user_id: SQLColumnExpression[str] | str, now: datetime, *conditions: ColumnElement[bool]
) -> ScalarSelect[int]:
    theirs = aliased(ConversationRow)
    return (
        select(func.count())
        .select_from(InboxRow)
        .join(theirs, theirs.conversation_id == InboxRow.conversation_id)
        .where(
            theirs.user_id == user_id,
            InboxRow.received_at > now - WINDOW,
            # What a clock that was set back calls the future does not count.
            InboxRow.received_at <= now,
            *conditions,
        )
        .scalar_subquery()
    )
