"""Retention: what has been done with, and is deleted once it is old.

Messages go a few at a time, the oldest first, so that the transactions stay short. Each
function works within the caller's transaction and returns how many rows it deleted.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from gaia.store.forgets import UNDER_WAY
from gaia.store.inbox import UNFINISHED
from gaia.store.memory_tables import ForgetRow
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.outbox import OPEN
from gaia.store.tables import (
    ConversationRow,
    InboxRow,
    OutboxFileRow,
    OutboxRow,
    UsageRow,
)

AT_ONCE = 200
"""Rows that one transaction deletes."""


def drop_replies(session: Session, before: datetime, most: int = AT_ONCE) -> int:
    """Delete chunks that left, or were given up, and were written or sent last before that
    time, with their files."""
    last = func.coalesce(OutboxRow.sent_at, OutboxRow.created_at)
    old = session.scalars(
        select(OutboxRow.outbox_id)
        .where(OutboxRow.state.not_in(OPEN), last < before)
        .order_by(OutboxRow.outbox_id)
        .limit(most)
    )
    going = old.all()
    session.execute(delete(OutboxFileRow).where(OutboxFileRow.outbox_id.in_(going)))
    session.execute(delete(OutboxRow).where(OutboxRow.outbox_id.in_(going)))
    return len(going)


def drop_messages(session: Session, before: datetime, most: int = AT_ONCE) -> int:
    """Delete messages that came to their end before that time.

    One whose reply is still there stays: who retries a reply needs it. So do those of a user
    who has something forgotten at the moment: they tell what was said before and after.
    """
    last = func.coalesce(InboxRow.finished_at, InboxRow.received_at)
    has_reply = exists().where(OutboxRow.turn_id == InboxRow.turn_id)
    forgetting = (
        select(ConversationRow.conversation_id)
        .join(ForgetRow, ForgetRow.user_id == ConversationRow.user_id)
        .where(ForgetRow.state.in_(UNDER_WAY))
    )
    old = (
        select(InboxRow.inbox_id)
        .where(
            InboxRow.state.not_in(UNFINISHED),
            last < before,
            ~has_reply,
            InboxRow.conversation_id.not_in(forgetting),
        )
        .order_by(InboxRow.inbox_id)
        .limit(most)
    )
    gone = session.scalars(
        delete(InboxRow).where(InboxRow.inbox_id.in_(old)).returning(InboxRow.inbox_id)
    )
    return len(gone.all())


def drop_counts(session: Session, before: date) -> int:
    """Delete what was counted of tokens on days before that one, and who was told of it."""
    dropped = 0
    for table in (UsageRow, BudgetNoticeRow):
        gone = session.scalars(
            delete(table).where(table.day < before.isoformat()).returning(table.day)
        )
        dropped += len(gone.all())
    return dropped
