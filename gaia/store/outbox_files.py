"""The files that go with chunks of the outbox.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.tables import OutboxFileRow


async def content(session: AsyncSession, outbox_id: int) -> bytes | None:
    """The content of a chunk's file; None if it has none."""
    return await session.scalar(
        select(OutboxFileRow.content).where(OutboxFileRow.outbox_id == outbox_id)
    )
