"""Digests whose user has something forgotten before they are committed: what was read of
a conversation may tell it, in whatever words.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from gaia.store.digest_tables import DigestRow, DigestState, DigestWindowRow

UNCOMMITTED = (DigestState.SEALED, DigestState.EXTRACTED, DigestState.FAILED)


def read_anew(session: Session, user_id: str) -> None:
    """Drop what was read in the windows of the user's digests: each window builds on those
    before it. What is not committed is read again, once nothing is being forgotten."""
    session.execute(delete(DigestWindowRow).where(DigestWindowRow.user_id == user_id))
    session.execute(
        update(DigestRow)
        .where(DigestRow.user_id == user_id, DigestRow.state == DigestState.EXTRACTED)
        .values(state=DigestState.SEALED)
    )


def drop(session: Session, user_id: str) -> None:
    """Delete the user's digests that are not committed, with what was read for them."""
    session.execute(
        delete(DigestRow).where(DigestRow.user_id == user_id, DigestRow.state.in_(UNCOMMITTED))
    )
