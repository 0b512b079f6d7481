"""Removes all rows of one user, whatever tables there are.

A table belongs to a user by a column `user_id`, or to a conversation of theirs
by `conversation_id`; a test holds every table to that. `strangers` belongs to
addresses, `indexes` and `job_runs` to nobody, and the rows of `audit` stay, without the address.
What the vector index still has of the user goes with the operation that is left to it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, or_, select, update
from sqlalchemy.orm import Session

from gaia.store import index_ops
from gaia.store.memory_tables import IndexOpRow, IndexRow, IndexShardRow
from gaia.store.ops_tables import JobRunRow
from gaia.store.tables import (
    AuditRow,
    Base,
    ConversationRow,
    IdentityRow,
    PairingRow,
    StrangerRow,
    UserRow,
)

KEPT = (
    UserRow.__table__,
    StrangerRow.__table__,
    AuditRow.__table__,
    JobRunRow.__table__,
    IndexRow.__table__,
    IndexOpRow.__table__,
    IndexShardRow.__table__,
)


def wipe_user(session: Session, user_id: str, now: datetime) -> None:
    """Delete every row that belongs to the user, but not the user's own row."""
    _wipe_traces(session, user_id)
    conversations = select(ConversationRow.conversation_id).where(
        ConversationRow.user_id == user_id
    )
    for table in reversed(Base.metadata.sorted_tables):
        if table in KEPT:
            continue
        if "user_id" in table.c:
            session.execute(delete(table).where(table.c.user_id == user_id))
        else:
            session.execute(delete(table).where(table.c.conversation_id.in_(conversations)))
    index_ops.drop_user(session, user_id, now)


def _wipe_traces(session: Session, user_id: str) -> None:
    """What was kept of the user's addresses before they were the user's."""

    def is_theirs(row: type[AuditRow | PairingRow | StrangerRow]) -> ColumnElement[bool]:
        return exists().where(
            IdentityRow.user_id == user_id,
            IdentityRow.channel == row.channel,
            IdentityRow.sender == row.sender,
        )

    session.execute(
        update(AuditRow)
        .where(or_(AuditRow.subject == user_id, is_theirs(AuditRow)))
        .values(channel=None, sender=None, detail="")
    )
    session.execute(delete(PairingRow).where(is_theirs(PairingRow)))
    session.execute(
        delete(StrangerRow).where(or_(StrangerRow.sender == user_id, is_theirs(StrangerRow)))
    )
