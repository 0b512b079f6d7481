"""Rates: how many messages of a user were taken lately, and whether they were told.

The inbox itself is counted, so that a restart forgets nothing. Each function
works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, ScalarSelect, String, bindparam, func, not_, select
from sqlalchemy.orm import Session

from gaia.store.base import table_of
from gaia.store.tables import ConversationRow, InboxRow, InboxState

WINDOW = timedelta(minutes=1)

STOP = "/stop"
"""The one command that is not counted: who wants silence gets it."""


INBOX, CONVERSATIONS = table_of(InboxRow), table_of(ConversationRow).alias("theirs")

_typed = func.lower(INBOX.c.text)
_is_stop = (
    INBOX.c.is_command & _typed.startswith(STOP) & not_(_typed.op("GLOB")(f"{STOP}[a-z0-9_]*"))
)
_since = bindparam("minute_ago", type_=INBOX.c.received_at.type)
# What a clock that was set back calls the future does not count.
_until = bindparam("now", type_=INBOX.c.received_at.type)


def _count(user_id: ColumnElement[str], *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(INBOX)
        .join(CONVERSATIONS, CONVERSATIONS.c.conversation_id == INBOX.c.conversation_id)
        .where(
            CONVERSATIONS.c.user_id == user_id,
            INBOX.c.received_at > _since,
            INBOX.c.received_at <= _until,
            *conditions,
        )
        .scalar_subquery()
    )


def taken(user_id: ColumnElement[str]) -> ScalarSelect[int]:
    """How many messages of a user were taken within the last minute, on all channels, as a
    part of a query, which gets the parameters of `within_a_minute`."""
    return _count(user_id, INBOX.c.state != InboxState.REFUSED, not_(_is_stop))


def within_a_minute(now: datetime) -> dict[str, datetime]:
    """The parameters of the time in question."""
    return {"minute_ago": now - WINDOW, "now": now}


_WAS_TOLD = select(
    _count(
        bindparam("user_id", type_=String()),
        INBOX.c.state == InboxState.REFUSED,
        INBOX.c.turn_id.is_not(None),
    )
)


def was_told(session: Session, user_id: str, now: datetime) -> bool:
    """Whether a refused message of theirs was answered within the last minute."""
    return bool(session.scalar(_WAS_TOLD, {"user_id": user_id, **within_a_minute(now)}))
