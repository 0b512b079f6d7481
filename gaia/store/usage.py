"""Usage: model calls and tokens by user, day and purpose.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.store.tables import UsageRow

TURN = "turn"
DIGEST = "digest"
PROFILE = "profile"
LEARNING = (DIGEST, PROFILE)
"""The purposes that `memory.calls_per_day` bounds."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost, in tokens as the provider counts them."""

    model: str
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int


async def add(session: AsyncSession, user_id: str, day: date, usage: Usage) -> None:
    """Add to a user's day."""
    key = (user_id, day.isoformat(), usage.purpose, usage.model)
    row = await session.get(UsageRow, key)
    if row is None:
        row = UsageRow(
            user_id=user_id,
            day=day.isoformat(),
            purpose=usage.purpose,
            model=usage.model,
            calls=0,
            tokens_in=0,
            tokens_out=0,
        )
        session.add(row)
    row.calls += usage.calls
    row.tokens_in += usage.tokens_in
    row.tokens_out += usage.tokens_out


async def of_day(
    session: AsyncSession, day: date, *, user_id: str | None = None
) -> Sequence[tuple[str, Usage]]:
    """Each user's usage on a day, as `(user_id, usage)`; of one user if named."""
    query = select(UsageRow).where(UsageRow.day == day.isoformat())
    if user_id is not None:
        query = query.where(UsageRow.user_id == user_id)
    rows = await session.scalars(query.order_by(UsageRow.user_id, UsageRow.model))
    return [
        (
            row.user_id,
            Usage(
                model=row.model,
                purpose=row.purpose,
                calls=row.calls,
                tokens_in=row.tokens_in,
                tokens_out=row.tokens_out,
            ),
        )
        for row in rows
    ]


async def calls(session: AsyncSession, user_id: str, day: date, purposes: Sequence[str]) -> int:
    """How many calls were made for a user on a day, for these purposes."""
    made = await session.scalar(
        select(func.sum(UsageRow.calls)).where(
            UsageRow.user_id == user_id,
            UsageRow.day == day.isoformat(),
            UsageRow.purpose.in_(purposes),
        )
    )
    return made or 0
