"""The files that go with chunks of the outbox, for as long as they are needed.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from gaia.messages import OutboundFile
from gaia.store.base import table_of
from gaia.store.tables import ConversationRow, OutboxFileRow, OutboxRow, OutboxState

GONE = "The file that belongs here is gone by now. Ask me for it again."
"""What a chunk says that is sent without its file after all. Plain text everywhere."""

_ARRIVED = (OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ)
"""The states of chunks that are sent no more."""

_LEFT = (*_ARRIVED, OutboxState.QUEUED, OutboxState.DEAD)
"""The states of chunks that wait for nothing but word of what became of them."""

TABLE = table_of(OutboxFileRow)

COLUMNS = (TABLE.c.name, TABLE.c.media_type, func.length(TABLE.c.content).label("size"))
"""What a file is read from, without its content."""


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is to go with the last chunk of a reply."""

    name: str
    media_type: str
    content: bytes


def add(session: Session, outbox_id: int, conversation_id: int, file: NewFile) -> None:
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


def of(values: Sequence[Any]) -> OutboundFile | None:
    """The file that its `COLUMNS` hold, which are empty where there is none."""
    name, media_type, size_bytes = values
    return None if name is None else OutboundFile(name, media_type, size_bytes)


def content(session: Session, outbox_id: int) -> bytes | None:
    """The content of a chunk's file; None if it has none."""
    return session.scalar(select(OutboxFileRow.content).where(OutboxFileRow.outbox_id == outbox_id))


def drop_of_user(session: Session, user_id: str) -> int:
    """Delete all files that are for a user; returns how many there were."""
    theirs = select(ConversationRow.conversation_id).where(ConversationRow.user_id == user_id)
    return _drop(session, OutboxFileRow.conversation_id.in_(theirs))


def drop_left(session: Session, before: datetime) -> int:
    """Delete the files of chunks that left, or were given up, before that time; returns
    how many there were."""
    last = func.coalesce(OutboxRow.sent_at, OutboxRow.created_at)
    left = select(OutboxRow.outbox_id).where(OutboxRow.state.in_(_LEFT), last < before)
    return _drop(session, OutboxFileRow.outbox_id.in_(left))


def _drop(session: Session, which: ColumnElement[bool]) -> int:
    """Delete files, and have the chunks that may still be sent say so."""
    session.execute(
        update(OutboxRow)
        .where(
            OutboxRow.outbox_id.in_(select(OutboxFileRow.outbox_id).where(which)),
            OutboxRow.state.not_in(_ARRIVED),
        )
        .values(text=GONE, buttons=[])
    )
    dropped = session.scalars(delete(OutboxFileRow).where(which).returning(OutboxFileRow.outbox_id))
    return len(dropped.all())
