"""Retention: what has been done with, and is deleted once it is old; and what waited when
a backup was taken, which was maybe done since.

Messages go a few at a time, the oldest first, so that the transactions stay short. Each
function works within the caller's transaction; those that delete return how many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from gaia.store.forgets import UNDER_WAY
from gaia.store.inbox import NOTHING, UNFINISHED
from gaia.store.indexes import GIVEN_UP
from gaia.store.memory_tables import ForgetRow, IndexRow
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.outbox import OPEN
from gaia.store.people.pairing_tables import PairingRow
from gaia.store.tables import (
    ConversationRow,
    InboxRow,
    InboxState,
    OutboxFileRow,
    OutboxRow,
    OutboxState,
    UsageRow,
)

AT_ONCE = 200
"""Rows that one transaction deletes."""

MAYBE_SENT = "it waited when the backup was taken that was restored, and may have been sent since"


@dataclass(frozen=True, slots=True)
class PendingCounts:
    """How much waited when the backup was taken: messages to be answered, and chunks of
    replies to be sent."""

    messages: int
    chunks: int


def drop_replies(session: Session, before: datetime, most: int = AT_ONCE) -> int:
    """Delete chunks that left, or were given up, and were written or sent last before that
    time, with their files."""
    last = func.coalesce(OutboxRow.sent_at, OutboxRow.created_at)
    old = session.scalars(
        select(OutboxRow.outbox_id)
        .where(OutboxRow.state.not_in(OPEN), last < before)
        .order_by(OutboxRow.outbox_id)
        .limit(most)
    )
    going = old.all()
    session.execute(delete(OutboxFileRow).where(OutboxFileRow.outbox_id.in_(going)))
    session.execute(delete(OutboxRow).where(OutboxRow.outbox_id.in_(going)))
    return len(going)


def drop_messages(session: Session, before: datetime, most: int = AT_ONCE) -> int:
    """Delete messages that came to their end before that time, or were overheard.

    One whose reply is still there stays: who retries a reply needs it. So do those of a user
    who has something forgotten at the moment: they tell what was said before and after. The last
    of each of a group's people loses its words alone: by it they are told apart.
    """
    last = func.coalesce(InboxRow.finished_at, InboxRow.received_at)
    has_reply = exists().where(OutboxRow.turn_id == InboxRow.turn_id)
    forgetting = (
        select(ConversationRow.conversation_id)
        .join(ForgetRow, ForgetRow.user_id == ConversationRow.user_id)
        .where(ForgetRow.state.in_(UNDER_WAY))
    )
    later = aliased(InboxRow)
    names_somebody = (
        InboxRow.author.is_not(None)
        & InboxRow.sender_name.is_not(None)
        & (InboxRow.state != InboxState.OVERHEARD)
        & ~exists().where(
            later.conversation_id == InboxRow.conversation_id,
            later.author == InboxRow.author,
            later.sender_name == InboxRow.sender_name,
            later.state != InboxState.OVERHEARD,
            later.inbox_id > InboxRow.inbox_id,
        )
    )
    going = (
        InboxRow.state.not_in(UNFINISHED),
        (last < before) | (InboxRow.state == InboxState.OVERHEARD),
        ~has_reply,
        InboxRow.conversation_id.not_in(forgetting),
    )
    session.execute(update(InboxRow).where(*going, names_somebody).values(**NOTHING))
    old = (
        select(InboxRow.inbox_id)
        .where(*going, ~names_somebody)
        .order_by(InboxRow.inbox_id)
        .limit(most)
    )
    gone = session.scalars(
        delete(InboxRow).where(InboxRow.inbox_id.in_(old)).returning(InboxRow.inbox_id)
    )
    return len(gone.all())


def drop_counts(session: Session, before: date) -> int:
    """Delete what was counted of tokens on days before that one, and who was told of it."""
    dropped = 0
    for table in (UsageRow, BudgetNoticeRow):
        gone = session.scalars(
            delete(table).where(table.day < before.isoformat()).returning(table.day)
        )
        dropped += len(gone.all())
    return dropped


def count_waiting(session: Session) -> PendingCounts:
    """How much waits."""
    messages = session.scalar(select(func.count()).where(InboxRow.state.in_(UNFINISHED)))
    chunks = session.scalar(select(func.count()).where(OutboxRow.state.in_(OPEN)))
    return PendingCounts(messages or 0, chunks or 0)


def settle_restored(session: Session, now: datetime) -> None:
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
    """Have the vector index rebuilt: the files of a local one are not there, and one that
    is kept elsewhere may know of memories that the database does not, under their numbers."""
    session.execute(update(IndexRow).values(active=False, fingerprint=GIVEN_UP))
