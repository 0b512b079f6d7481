"""Removes all rows of one user, whatever tables there are.

A table belongs to a user by a column `user_id`, or to a conversation of theirs
by `conversation_id`; a test holds every table to that. `strangers` belongs to
nobody, and the rows of `audit` stay, without the address.
"""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.tables import AuditRow, Base, ConversationRow, StrangerRow, UserRow

KEPT = (UserRow.__table__, StrangerRow.__table__, AuditRow.__table__)


async def wipe_user(session: AsyncSession, user_id: str) -> None:
    """Delete every row that belongs to the user, but not the user's own row."""
    conversations = select(ConversationRow.conversation_id).where(
        ConversationRow.user_id == user_id
    )
    for table in reversed(Base.metadata.sorted_tables):
        if table in KEPT:
            continue
        if "user_id" in table.c:
            await session.execute(delete(table).where(table.c.user_id == user_id))
        else:
            await session.execute(delete(table).where(table.c.conversation_id.in_(conversations)))
    await session.execute(
        update(AuditRow)
        .where(AuditRow.subject == user_id)
        .values(channel=None, sender=None, detail="")
    )
