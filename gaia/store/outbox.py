"""The outbox: every chunk of every reply, until the channel has taken it.

Chunks of a conversation leave in the order of their ids, one after the other.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.messages import Button
from gaia.store import outbox_files
from gaia.store.outbox_files import NewFile
from gaia.store.tables import ConversationRow, OutboxRow, OutboxState, UserRow

OPEN = (OutboxState.PENDING, OutboxState.SENDING, OutboxState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of a reply and what is known of its sending."""

    outbox_id: int
    conversation_id: int
    turn_id: str | None
    seq: int
    final: bool
    text: str
    buttons: tuple[Button, ...]
    state: OutboxState
    attempts: int
    repeated: bool
    refused_since: datetime | None
    not_before: datetime | None
    error: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Listed:
    """A chunk, and for whom it is."""

    chunk: Chunk
    channel: str
    chat: str
    user_name: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the outbox. `oldest` is when the longest waiting chunk was written."""

    open: int
    dead: int
    oldest: datetime | None


async def add(
    session: AsyncSession,
    *,
    conversation_id: int,
    turn_id: str | None,
    chunks: Sequence[str],
    now: datetime,
    buttons: Sequence[Button] = (),
    file: NewFile | None = None,
) -> None:
    """Add a reply, chunk by chunk; `buttons` and `file` go with the last."""
    for seq, text in enumerate(chunks):
        final = seq == len(chunks) - 1
        row = OutboxRow(
            conversation_id=conversation_id,
            turn_id=turn_id,
            seq=seq,
            final=final,
            text=text,
            buttons=[asdict(button) for button in buttons] if final else [],
            state=OutboxState.PENDING,
            attempts=0,
            repeated=False,
            created_at=now,
        )
        session.add(row)
        await session.flush()
        if final and file is not None:
            outbox_files.add(session, row.outbox_id, conversation_id, file)


async def next_chunk(session: AsyncSession, conversation_id: int) -> Chunk | None:
    """The chunk that must leave before all others of its conversation."""
    row = await session.scalar(
        select(OutboxRow)
        .where(OutboxRow.conversation_id == conversation_id, OutboxRow.state.in_(OPEN))
        .order_by(OutboxRow.outbox_id)
        .limit(1)
    )
    return None if row is None else _chunk(row)


async def mark_sending(session: AsyncSession, outbox_id: int, *, repeated: bool) -> None:
    """Say that the channel is about to get the chunk. From here on a crash
    leaves its outcome unknown."""
    await session.execute(
        update(OutboxRow)
        .where(OutboxRow.outbox_id == outbox_id)
        .values(state=OutboxState.SENDING, attempts=OutboxRow.attempts + 1, repeated=repeated)
    )


async def mark_sent(session: AsyncSession, outbox_id: int, provider_id: str, now: datetime) -> None:
    """Say that the channel has taken the chunk."""
    await session.execute(
        update(OutboxRow)
        .where(OutboxRow.outbox_id == outbox_id)
        .values(
            state=OutboxState.SENT,
            provider_id=provider_id,
            sent_at=now,
            error=None,
            not_before=None,
        )
    )


async def mark(session: AsyncSession, outbox_id: int, state: OutboxState, *, error: str) -> None:
    """Say that the chunk was not sent, or may not have been, and why."""
    await session.execute(
        update(OutboxRow)
        .where(OutboxRow.outbox_id == outbox_id)
        .values(state=state, error=error, not_before=None)
    )


async def mark_refused(
    session: AsyncSession, outbox_id: int, *, error: str, now: datetime, not_before: datetime
) -> None:
    """Say that the channel refused the chunk for now, and when it may be tried again."""
    await session.execute(
        update(OutboxRow)
        .where(OutboxRow.outbox_id == outbox_id)
        .values(
            state=OutboxState.PENDING,
            error=error,
            refused_since=func.coalesce(OutboxRow.refused_since, now),
            not_before=not_before,
        )
    )


async def end_reply(session: AsyncSession, chunk: Chunk, *, error: str) -> None:
    """Say that a chunk never can be sent, which ends its reply: the chunks after it die too."""
    await mark(session, chunk.outbox_id, OutboxState.DEAD, error=error)
    last = (
        select(func.min(OutboxRow.outbox_id))
        .where(*_reply_from(chunk), OutboxRow.final.is_(True))
        .scalar_subquery()
    )
    await session.execute(
        update(OutboxRow)
        .where(
            *_reply_from(chunk), OutboxRow.outbox_id > chunk.outbox_id, OutboxRow.outbox_id <= last
        )
        .values(state=OutboxState.DEAD, error="a chunk before it was not delivered")
    )


async def listed(session: AsyncSession, *, states: Sequence[OutboxState]) -> Sequence[Listed]:
    """The chunks in these states, the oldest first, with those they are for."""
    rows = await session.execute(
        select(OutboxRow, ConversationRow.channel, ConversationRow.chat, UserRow.name)
        .join(ConversationRow, ConversationRow.conversation_id == OutboxRow.conversation_id)
        .join(UserRow, UserRow.user_id == ConversationRow.user_id)
        .where(OutboxRow.state.in_(states))
        .order_by(OutboxRow.outbox_id)
    )
    return [
        Listed(_chunk(row), channel=channel, chat=chat, user_name=name)
        for row, channel, chat, name in rows
    ]


async def revive(session: AsyncSession, outbox_ids: Collection[int] | None = None) -> Sequence[int]:
    """Let dead chunks be sent after all, all of them or these; returns which they were.

    One whose outcome was never known stays marked as a possible repeat.
    """
    dead = OutboxRow.state == OutboxState.DEAD
    chosen = dead if outbox_ids is None else dead & OutboxRow.outbox_id.in_(outbox_ids)
    revived = await session.scalars(
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


async def open_conversations(session: AsyncSession) -> Sequence[int]:
    """The conversations with chunks that have not left."""
    rows = await session.scalars(
        select(OutboxRow.conversation_id).where(OutboxRow.state.in_(OPEN)).distinct()
    )
    return rows.all()


async def backlog(session: AsyncSession) -> Backlog:
    """What waits in the outbox, over all conversations."""
    waiting, oldest = (
        await session.execute(
            select(func.count(), func.min(OutboxRow.created_at)).where(OutboxRow.state.in_(OPEN))
        )
    ).one()
    dead = await session.scalar(select(func.count()).where(OutboxRow.state == OutboxState.DEAD))
    return Backlog(open=waiting, dead=dead or 0, oldest=oldest)


def _reply_from(chunk: Chunk) -> Sequence[ColumnElement[bool]]:
    """Conditions for the chunk and what follows in its conversation for the same turn."""
    return (
        OutboxRow.conversation_id == chunk.conversation_id,
        OutboxRow.turn_id.is_not_distinct_from(chunk.turn_id),
        OutboxRow.outbox_id >= chunk.outbox_id,
    )


def _chunk(row: OutboxRow) -> Chunk:
    return Chunk(
        outbox_id=row.outbox_id,
        conversation_id=row.conversation_id,
        turn_id=row.turn_id,
        seq=row.seq,
        final=row.final,
        text=row.text,
        buttons=tuple(Button(**button) for button in row.buttons),
        state=OutboxState(row.state),
        attempts=row.attempts,
        repeated=row.repeated,
        refused_since=row.refused_since,
        not_before=row.not_before,
        error=row.error,
        created_at=row.created_at,
    )
