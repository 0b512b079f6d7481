"""The files that go with chunks of the outbox.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.messages import OutboundFile
from gaia.store.tables import OutboxFileRow


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is to go with the last chunk of a reply."""

    name: str
    media_type: str
    content: bytes


def add(session: AsyncSession, outbox_id: int, conversation_id: int, file: NewFile) -> None:
    """Have a file go with a chunk."""
    session.add(
        OutboxFileRow(
            outbox_id=outbox_id,
            conversation_id=conversation_id,
            name=file.name,
            media_type=file.media_type,
            content=file.content,
        )
    )


async def of_chunk(session: AsyncSession, outbox_id: int) -> OutboundFile | None:
    """The file that goes with a chunk, without its content."""
    found = await session.execute(
        select(
            OutboxFileRow.name, OutboxFileRow.media_type, func.length(OutboxFileRow.content)
        ).where(OutboxFileRow.outbox_id == outbox_id)
    )
    row = found.one_or_none()
    return None if row is None else OutboundFile(*row)


async def content(session: AsyncSession, outbox_id: int) -> bytes | None:
    """The content of a chunk's file; None if it has none."""
    return await session.scalar(
        select(OutboxFileRow.content).where(OutboxFileRow.outbox_id == outbox_id)
    )
