"""The sending of a chunk: what is known of it from the moment that its channel gets it.

What becomes of a chunk is decided in `gaia.core`; it is written here. Each function works
within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    String,
    bindparam,
    cast,
    delete,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.orm import Session

from gaia.messages import SentCopy
from gaia.store import conversations, incognito
from gaia.store.outbox import ON_ITS_WAY, OPEN, TABLE, Chunk
from gaia.store.tables import ConversationRow, OutboxRow, OutboxState

ARRIVED = (OutboxState.DELIVERED, OutboxState.READ)
"""The states of a chunk that its reader has: nothing is ever sent again from there."""

MOST_ON_THEIR_WAY = 100

_THE_ONE = TABLE.c.outbox_id == bindparam("the_one")
_BEGIN = (
    update(TABLE)
    .where(_THE_ONE)
    .values(
        state=OutboxState.SENDING,
        attempts=TABLE.c.attempts + 1,
        repeated=bindparam("is_repeat"),
        not_before=None,
        sent_at=bindparam("now"),
    )
)
_MARK_TAKEN = (
    update(TABLE)
    # Nothing was reported meanwhile.
    .where(_THE_ONE, TABLE.c.state == OutboxState.SENDING)
    .where(cast(TABLE.c.failed_ids, String) == "[]")
    .values(
        state=bindparam("to_state"),
        provider_id=bindparam("as_"),
        error=None,
        not_before=bindparam("until"),
    )
    .returning(TABLE.c.is_incognito)
)


def drop_reminder(
    session: Session, user_id: str, reminder_id: int, written_at: datetime | None = None
) -> None:
    """Delete what waits of a user's reminder in their chats, all of it or what was written at
    that time. What has left in part goes on."""
    piece = TABLE.alias()
    has_begun = exists().where(
        piece.c.conversation_id == TABLE.c.conversation_id,
        piece.c.reminder_id == TABLE.c.reminder_id,
        piece.c.created_at == TABLE.c.created_at,
        piece.c.state != OutboxState.PENDING,
    )
    waits = _says(user_id, reminder_id) & (TABLE.c.state == OutboxState.PENDING) & ~has_begun
    if written_at is not None:
        waits &= TABLE.c.created_at == written_at
    session.execute(delete(TABLE).where(waits))


def is_said_again(session: Session, user_id: str, chunk: Chunk) -> bool:
    """Whether a user's reminder was written once more after this chunk, the first of its
    pieces."""
    later = (TABLE.c.outbox_id > chunk.outbox_id) & (TABLE.c.seq == 0)
    return session.scalar(select(exists().where(_says(user_id, chunk.reminder_id), later))) or False


def reword(session: Session, outbox_id: int, text: str) -> None:
    """Have a chunk that has not left say something else."""
    _put(session, outbox_id, text=text)


def begin(session: Session, outbox_id: int, *, repeated: bool, now: datetime) -> None:
    """Say that the channel is about to get the chunk. From here on a crash
    leaves its outcome unknown."""
    session.execute(_BEGIN, {"the_one": outbox_id, "is_repeat": repeated, "now": now})


def mark_taken(
    session: Session,
    outbox_id: int,
    provider_id: str,
    *,
    state: OutboxState = OutboxState.SENT,
    next_not_before: datetime | None = None,
) -> bool:
    """Say that the channel has taken the chunk, unless its user was removed meanwhile;
    returns whether that is the first that is heard of it.

    A report that was faster stays: that some copy has arrived, that this one failed, that
    it went on. `next_not_before` is when the next chunk may follow if nothing is reported.
    """
    taken = {"as_": provider_id, "to_state": state, "until": next_not_before}
    marked = session.scalar(_MARK_TAKEN, {"the_one": outbox_id, **taken})
    if marked is not None:
        if marked and state == OutboxState.SENT:
            incognito.wipe_chunk(session, outbox_id)
        return True
    row = session.get(OutboxRow, outbox_id)
    if row is not None and row.state not in ARRIVED and provider_id not in row.failed_ids:
        row.state = OutboxState.SENT if row.state == OutboxState.SENT else state
        row.provider_id, row.error, row.not_before = provider_id, None, next_not_before
    return False


def mark_reported(
    session: Session,
    outbox_id: int,
    provider_id: str,
    state: OutboxState,
    *,
    next_not_before: datetime | None,
) -> None:
    """Say how far the provider has got with the chunk, and when the next may follow if
    nothing more is reported."""
    is_incognito = session.scalar(
        update(OutboxRow)
        .where(OutboxRow.outbox_id == outbox_id)
        .values(state=state, provider_id=provider_id, error=None, not_before=next_not_before)
        .returning(OutboxRow.is_incognito)
    )
    if is_incognito and state != OutboxState.QUEUED:
        incognito.wipe_chunk(session, outbox_id)


def on_their_way(
    session: Session, channel: str, since: datetime, until: datetime
) -> Sequence[SentCopy]:
    """What a channel sent in that time, of which its provider has told neither that it arrived
    nor that it failed: the latest first, and no more than `MOST_ON_THEIR_WAY`."""
    found = session.execute(
        select(OutboxRow.outbox_id, OutboxRow.provider_id)
        .join(ConversationRow, ConversationRow.conversation_id == OutboxRow.conversation_id)
        .where(
            ConversationRow.channel == channel,
            OutboxRow.state.in_(ON_ITS_WAY),
            OutboxRow.sent_at.between(since, until),
        )
        .order_by(OutboxRow.outbox_id.desc())
        .limit(MOST_ON_THEIR_WAY)
    )
    return [SentCopy(outbox_id, provider_id) for outbox_id, provider_id in found if provider_id]


def note_failed(session: Session, chunk: Chunk, provider_id: str) -> None:
    """Say which copy of a chunk the provider could not deliver: it may tell that again."""
    _put(session, chunk.outbox_id, failed_ids=[*chunk.failed_ids, provider_id])


def mark_unknown(
    session: Session, outbox_id: int, *, error: str, not_before: datetime | None
) -> None:
    """Say that the chunk may have been sent, and when it may be sent once more."""
    _put(session, outbox_id, state=OutboxState.UNKNOWN, error=error, not_before=not_before)


def mark_waiting(session: Session, outbox_id: int, *, error: str) -> None:
    """Say that the chunk was not delivered since nobody can be reached. However long that
    takes: attempts, and the time of refusals, are counted again from there."""
    _put(
        session,
        outbox_id,
        state=OutboxState.PENDING,
        error=error,
        not_before=None,
        attempts=0,
        refused_since=None,
    )


def mark_refused(
    session: Session, outbox_id: int, *, error: str, now: datetime, not_before: datetime
) -> None:
    """Say that the chunk was not delivered for now, and when it may be tried again."""
    _put(
        session,
        outbox_id,
        state=OutboxState.PENDING,
        error=error,
        not_before=not_before,
        refused_since=func.coalesce(OutboxRow.refused_since, now),
    )


def end_reply(session: Session, chunk: Chunk, *, error: str) -> None:
    """Say that a chunk never can be delivered, which ends its reply: the chunks after it
    that have not left die too."""
    _put(session, chunk.outbox_id, state=OutboxState.DEAD, error=error, not_before=None)
    if chunk.is_incognito:
        incognito.wipe_chunks(session, *_reply_from(chunk))
    last = (
        select(func.min(OutboxRow.outbox_id))
        .where(*_reply_from(chunk), OutboxRow.final.is_(True))
        .scalar_subquery()
    )
    session.execute(
        update(OutboxRow)
        .where(
            *_reply_from(chunk),
            OutboxRow.outbox_id > chunk.outbox_id,
            OutboxRow.outbox_id <= last,
            OutboxRow.state.in_(OPEN),
        )
        .values(state=OutboxState.DEAD, error="a chunk before it was not delivered")
    )


def revive(session: Session, outbox_ids: Collection[int] | None = None) -> Sequence[int]:
    """Let dead chunks be sent after all, all of them or these; returns which they were.

    One whose outcome was never known stays marked as a possible repeat.
    """
    dead = OutboxRow.state == OutboxState.DEAD
    chosen = dead if outbox_ids is None else dead & OutboxRow.outbox_id.in_(outbox_ids)
    revived = session.scalars(
        update(OutboxRow)
        .where(chosen)
        .values(
            state=OutboxState.PENDING,
            attempts=0,
            refused_since=None,
            not_before=None,
            error=None,
        )
        .returning(OutboxRow.outbox_id)
    )
    return sorted(revived)


def _says(user_id: str, reminder_id: int | None) -> ColumnElement[bool]:
    """Whether a chunk in one of the user's chats says a reminder."""
    theirs = conversations.ids_of_user(user_id)
    return TABLE.c.conversation_id.in_(theirs) & (TABLE.c.reminder_id == reminder_id)


def _put(session: Session, outbox_id: int, **values: Any) -> None:
    session.execute(update(OutboxRow).where(OutboxRow.outbox_id == outbox_id).values(**values))


def _reply_from(chunk: Chunk) -> Sequence[ColumnElement[bool]]:
    """Conditions for the chunk and what follows in its conversation for the same turn."""
    return (
        OutboxRow.conversation_id == chunk.conversation_id,
        OutboxRow.turn_id.is_not_distinct_from(chunk.turn_id),
        OutboxRow.outbox_id >= chunk.outbox_id,
    )
