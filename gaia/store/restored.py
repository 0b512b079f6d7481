"""What a database says of things that wait, once it was restored from a backup.

Since the backup was taken gaia may have gone on, and done all of that. Each function works
within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from gaia.store.inbox import UNFINISHED
from gaia.store.indexes import GIVEN_UP
from gaia.store.memory_tables import IndexRow
from gaia.store.outbox import OPEN
from gaia.store.tables import InboxRow, InboxState, OutboxRow, OutboxState, PairingRow

MAYBE_SENT = "it waited when the backup was taken that was restored, and may have been sent since"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waited when the backup was taken: messages to be answered, and chunks of
    replies to be sent."""

    messages: int
    chunks: int


def count_waiting(session: Session) -> Waiting:
    """How much waits."""
    messages = session.scalar(select(func.count()).where(InboxRow.state.in_(UNFINISHED)))
    chunks = session.scalar(select(func.count()).where(OutboxRow.state.in_(OPEN)))
    return Waiting(messages or 0, chunks or 0)


def settle(session: Session, now: datetime) -> None:
    """Have nothing answered or sent that waited: it may have been, and a second time, days
    later, is worse than none. Codes that were handed out are of no use any more.

    Of a turn that ran, the session has half: it is removed as that of a stopped one is.
    Chunks are given up, so that the owner can have them sent all the same.
    """
    waits = InboxRow.state.in_(UNFINISHED)
    is_turn = InboxRow.is_command.is_(False) & InboxRow.turn_id.is_not(None)
    session.execute(
        update(InboxRow).where(waits, is_turn).values(state=InboxState.STOPPING, not_before=None)
    )
    session.execute(
        update(InboxRow)
        .where(waits, ~is_turn)
        .values(state=InboxState.STOPPED, not_before=None, finished_at=now)
    )
    session.execute(
        update(OutboxRow)
        .where(OutboxRow.state.in_(OPEN))
        .values(state=OutboxState.DEAD, error=MAYBE_SENT, not_before=None)
    )
    session.execute(update(PairingRow).where(PairingRow.expires_at > now).values(expires_at=now))


def give_up_indexes(session: Session) -> None:
    """Have the vector index made anew: the files of a local one are not there, and one that
    is kept elsewhere may know of memories that the database does not, under their numbers."""
    session.execute(update(IndexRow).values(active=False, fingerprint=GIVEN_UP))
