"""The archive: turns that came to their end, kept when their session is gone.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.digest_tables import ArchivedTermRow, ArchivedTurnRow


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn to be kept. What the fields mean is told at `ArchivedTurnRow`."""

    turn_id: str
    user_id: str
    conversation_id: int
    session_id: str
    asked: str
    words: str
    answer: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class ArchivedTurn(Ended):
    """A turn of the archive; their numbers rise in the order in which turns ended."""

    archive_id: int


async def add(session: AsyncSession, turn: Ended, terms: Mapping[str, int]) -> None:
    """Keep a turn, with how often each term stands in it. Idempotent."""
    known = exists().where(ArchivedTurnRow.turn_id == turn.turn_id)
    if await session.scalar(select(known)):
        return
    row = ArchivedTurnRow(
        turn_id=turn.turn_id,
        user_id=turn.user_id,
        conversation_id=turn.conversation_id,
        session_id=turn.session_id,
        asked=turn.asked,
        words=turn.words,
        answer=turn.answer,
        said_at=turn.said_at,
        length=sum(terms.values()),
    )
    session.add(row)
    await session.flush()
    rows = [
        {"user_id": turn.user_id, "term": term, "archive_id": row.archive_id, "count": count}
        for term, count in terms.items()
    ]
    if rows:
        await session.execute(insert(ArchivedTermRow), rows)


async def of_session(
    session: AsyncSession, session_id: str, *, after: int = 0
) -> Sequence[ArchivedTurn]:
    """The turns of a session with higher numbers than `after`, in order."""
    rows = await session.scalars(
        select(ArchivedTurnRow)
        .where(ArchivedTurnRow.session_id == session_id, ArchivedTurnRow.archive_id > after)
        .order_by(ArchivedTurnRow.archive_id)
    )
    return [archived_turn(row) for row in rows]


def archived_turn(row: ArchivedTurnRow) -> ArchivedTurn:
    """The turn that a row holds."""
    return ArchivedTurn(
        archive_id=row.archive_id,
        turn_id=row.turn_id,
        user_id=row.user_id,
        conversation_id=row.conversation_id,
        session_id=row.session_id,
        asked=row.asked,
        words=row.words,
        answer=row.answer,
        said_at=row.said_at,
    )
