"""Letters: what a user wants to have told to another, until they have said yes or no.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from gaia.store.ops_tables import LetterRow

WAITS = timedelta(hours=1)
"""How long a letter waits for its yes."""


LONGEST_LETTER = 1000
"""Characters of a letter."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, from whom and to whom."""

    letter_id: int
    user_id: str
    to_user_id: str
    text: str


def add(
    session: Session, user_id: str, to_user_id: str, text: str, now: datetime, turn_id: str | None
) -> Letter:
    """Keep a letter. The user's earlier ones wait no longer."""
    drop(session, user_id)
    prune(session, now)
    row = LetterRow(
        user_id=user_id, to_user_id=to_user_id, text=text, turn_id=turn_id, created_at=now
    )
    session.add(row)
    session.flush()
    return _read(row)


def of_turn(session: Session, user_id: str, turn_id: str) -> Letter | None:
    """The letter that a tool wrote in a turn, if it waits."""
    row = session.scalar(
        select(LetterRow).where(LetterRow.user_id == user_id, LetterRow.turn_id == turn_id)
    )
    return None if row is None else _read(row)


def take(session: Session, user_id: str, letter_id: int, now: datetime) -> Letter | None:
    """A letter that waits, which then is kept no more; None where it does not wait."""
    prune(session, now)
    row = session.scalar(
        select(LetterRow).where(LetterRow.user_id == user_id, LetterRow.letter_id == letter_id)
    )
    if row is None:
        return None
    letter = _read(row)
    session.execute(delete(LetterRow).where(LetterRow.letter_id == letter_id))
    return letter


def drop(session: Session, user_id: str) -> None:
    """Keep none of a user's letters."""
    session.execute(delete(LetterRow).where(LetterRow.user_id == user_id))


def prune(session: Session, now: datetime) -> None:
    """Keep no letter that has waited too long."""
    session.execute(delete(LetterRow).where(LetterRow.created_at < now - WAITS))


def _read(row: LetterRow) -> Letter:
    return Letter(row.letter_id, row.user_id, row.to_user_id, row.text)
