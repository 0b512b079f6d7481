"""What was read in the windows of a sealed session, kept until its digest is cleared.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from gaia.store.digest_tables import DigestWindowRow


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """A window that was read. `outcome` is JSON; what it means is for the reader to know."""

    number: int
    last_archive_id: int
    outcome: Mapping[str, object]


def add(session: Session, digest_id: int, user_id: str, window: ReadWindow, now: datetime) -> None:
    """Keep what was read in the next window of a digest."""
    session.add(
        DigestWindowRow(
            digest_id=digest_id,
            number=window.number,
            user_id=user_id,
            last_archive_id=window.last_archive_id,
            outcome=dict(window.outcome),
            created_at=now,
        )
    )
    session.flush()


def of_digest(session: Session, digest_id: int) -> Sequence[ReadWindow]:
    """The windows of a digest that were read, in order."""
    rows = session.scalars(
        select(DigestWindowRow)
        .where(DigestWindowRow.digest_id == digest_id)
        .order_by(DigestWindowRow.number)
    )
    return [ReadWindow(row.number, row.last_archive_id, row.outcome) for row in rows]


def delete_of(session: Session, digest_id: int) -> None:
    """Delete what was read in the windows of a digest."""
    session.execute(delete(DigestWindowRow).where(DigestWindowRow.digest_id == digest_id))
