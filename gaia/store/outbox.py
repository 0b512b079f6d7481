"""The outbox: every chunk of every reply, until the channel has taken it, and the files that
go with them, for as long as they are needed.

Chunks of a conversation leave in the order of their ids, one after the other. What is
known of one that has left, or could not, is told by `chunk_states`. Each function works within
the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from gaia.messages import Button, OutboundFile
from gaia.store import conversations
from gaia.store.base import table_of
from gaia.store.conversations import Conversation
from gaia.store.people import own_chats
from gaia.store.tables import (
    ConversationRow,
    OutboxFileRow,
    OutboxRow,
    OutboxState,
    UserRow,
)

OPEN = (OutboxState.PENDING, OutboxState.SENDING, OutboxState.UNKNOWN)

ON_ITS_WAY = (OutboxState.QUEUED, OutboxState.SENT)
"""The states of a chunk that its provider took and may tell more of."""

CAUSES = 3
"""So many causes of waiting a backlog tells, the most frequent first."""

GONE = "The file that belongs here is gone by now. Ask me for it again."
"""What a chunk says that is sent without its file after all. Plain text everywhere."""

_ARRIVED = (OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ)
"""The states of chunks that are sent no more."""

_LEFT = (*_ARRIVED, OutboxState.QUEUED, OutboxState.DEAD)
"""The states of chunks that wait for nothing but word of what became of them."""


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
    provider_id: str | None
    failed_ids: tuple[str, ...]
    error: str | None
    is_incognito: bool
    reminder_id: int | None
    was_due: datetime | None
    is_farewell: bool
    created_at: datetime
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class SaidReminder:
    """The reminder that a message says, by its memory's number, and when it was due."""

    reminder_id: int
    was_due: datetime


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is to go with the last chunk of a reply."""

    name: str
    media_type: str
    content: bytes


def _held_until(state: OutboxState) -> ScalarSelect[datetime | None]:
    """Until when the last chunk in such a state keeps those after it waiting."""
    earlier = TABLE.alias()
    return (
        select(earlier.c.not_before)
        .where(earlier.c.conversation_id == bindparam("in_conversation"), earlier.c.state == state)
        .order_by(earlier.c.outbox_id.desc())
        .limit(1)
        .scalar_subquery()
    )


TABLE = table_of(OutboxRow)

FILES = table_of(OutboxFileRow)

FILE_COLUMNS = (FILES.c.name, FILES.c.media_type, func.length(FILES.c.content).label("size"))
"""What a file is read from, without its content."""
CHUNK_FIELDS = tuple(field.name for field in fields(Chunk))
COLUMNS = tuple(TABLE.c[name] for name in CHUNK_FIELDS)
OF_CHUNK, OF_FILE = len(COLUMNS), len(FILE_COLUMNS) + len(ON_ITS_WAY) + 1

_INSERT = insert(TABLE)
_NEXT_DUE = (
    select(
        *COLUMNS,
        *conversations.COLUMNS,
        *FILE_COLUMNS,
        *(_held_until(state) for state in ON_ITS_WAY),
        own_chats.NAMED_ALIKE,
    )
    .join(conversations.TABLE, conversations.TABLE.c.conversation_id == TABLE.c.conversation_id)
    .outerjoin(FILES, FILES.c.outbox_id == TABLE.c.outbox_id)
    .where(TABLE.c.conversation_id == bindparam("in_conversation"), TABLE.c.state.in_(OPEN))
    .order_by(TABLE.c.outbox_id)
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class Due:
    """The next chunk of a conversation, and its file. It waits until `held_until` for what
    the provider tells of those that left before it; None when there are none, or their time
    is not limited. `is_theirs` tells whether the chat is still its user's."""

    chunk: Chunk
    conversation: Conversation
    file: OutboundFile | None
    held_until: datetime | None
    is_theirs: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A chunk, and for whom it is."""

    chunk: Chunk
    channel: str
    chat: str
    user_name: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Why chunks wait, and how many do for that."""

    waiting: int
    error: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the outbox. `oldest` is when the longest waiting chunk was written;
    of `causes` there are at most `CAUSES`."""

    open: int
    dead: int
    oldest: datetime | None
    causes: tuple[Cause, ...] = ()


def add(
    session: Session,
    *,
    conversation_id: int,
    turn_id: str | None,
    chunks: Sequence[str],
    now: datetime,
    buttons: Sequence[Button] = (),
    file: NewFile | None = None,
    then: Sequence[str] = (),
    is_incognito: bool = False,
    is_farewell: bool = False,
    says: SaidReminder | None = None,
) -> None:
    """Add a reply, chunk by chunk, with `file` at the last; `then` are further ones behind it.
    `buttons` go with the last of all. What `is_incognito` is kept until it is sent, and a
    farewell goes to an address that is unlinked, too."""
    texts = [*chunks, *then]
    rows: list[dict[str, Any]] = [
        {
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "seq": seq,
            "final": seq == len(texts) - 1,
            "text": text,
            "buttons": [],
            "is_incognito": is_incognito,
            "reminder_id": says and says.reminder_id,
            "was_due": says and says.was_due,
            "is_farewell": is_farewell,
            "created_at": now,
        }
        for seq, text in enumerate(texts)
    ]
    if not rows:
        return
    rows[-1]["buttons"] = [asdict(button) for button in buttons]
    session.execute(_INSERT, rows)
    if file is not None:
        last = session.scalar(select(func.max(TABLE.c.outbox_id)))
        _add_file(session, (last or 0) - len(then), conversation_id, file)


def get(session: Session, outbox_id: int) -> Chunk | None:
    """A chunk by id; None when its user was removed."""
    row = session.get(OutboxRow, outbox_id)
    return None if row is None else _chunk(row)


def next_due(session: Session, conversation_id: int) -> Due | None:
    """The chunk that must leave before all others of its conversation, with all that its
    sending depends on."""
    row = session.execute(_NEXT_DUE, {"in_conversation": conversation_id}).one_or_none()
    if row is None:
        return None
    chunk, file = row[:OF_CHUNK], row[-OF_FILE:]
    conversation = conversations.of(row[OF_CHUNK:-OF_FILE])
    *file_values, queued_until, sent_until, named_alike = file
    times = [time for time in (queued_until, sent_until) if time is not None]
    return Due(
        _chunk_of(chunk),
        conversation,
        _file_of(file_values),
        max(times, default=None),
        named_alike or own_chats.is_own(session, conversation),
    )


def listed(session: Session, *, states: Sequence[OutboxState]) -> Sequence[Listed]:
    """The chunks in these states, the oldest first, with those they are for."""
    rows = session.execute(
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


def open_conversations(session: Session) -> Sequence[int]:
    """The conversations with chunks that have not left."""
    rows = session.scalars(
        select(OutboxRow.conversation_id).where(OutboxRow.state.in_(OPEN)).distinct()
    )
    return rows.all()


def backlog(session: Session) -> Backlog:
    """What waits in the outbox, over all conversations."""
    waiting, oldest = session.execute(
        select(func.count(), func.min(OutboxRow.created_at)).where(OutboxRow.state.in_(OPEN))
    ).one()
    dead = session.scalar(select(func.count()).where(OutboxRow.state == OutboxState.DEAD))
    return Backlog(open=waiting, dead=dead or 0, oldest=oldest, causes=_causes(session))


def file_content(session: Session, outbox_id: int) -> bytes | None:
    """The content of a chunk's file; None if it has none."""
    return session.scalar(select(OutboxFileRow.content).where(OutboxFileRow.outbox_id == outbox_id))


def drop_files_of(session: Session, user_id: str) -> int:
    """Delete all files that are for a user; returns how many there were."""
    theirs = conversations.ids_of_user(user_id)
    return _drop(session, OutboxFileRow.conversation_id.in_(theirs))


def drop_left_files(session: Session, before: datetime) -> int:
    """Delete the files of chunks that left, or were given up, before that time; returns
    how many there were."""
    last = func.coalesce(OutboxRow.sent_at, OutboxRow.created_at)
    left = select(OutboxRow.outbox_id).where(OutboxRow.state.in_(_LEFT), last < before)
    return _drop(session, OutboxFileRow.outbox_id.in_(left))


def _causes(session: Session) -> tuple[Cause, ...]:
    count = func.count()
    rows = session.execute(
        select(count, OutboxRow.error)
        .where(OutboxRow.state == OutboxState.PENDING, OutboxRow.error.is_not(None))
        .group_by(OutboxRow.error)
        .order_by(count.desc(), func.min(OutboxRow.outbox_id))
        .limit(CAUSES)
    )
    return tuple(Cause(waiting, error) for waiting, error in rows if error is not None)


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


def _add_file(session: Session, outbox_id: int, conversation_id: int, file: NewFile) -> None:
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


def _file_of(values: Sequence[Any]) -> OutboundFile | None:
    """The file that its `FILE_COLUMNS` hold, which are empty where there is none."""
    name, media_type, size_bytes = values
    return None if name is None else OutboundFile(name, media_type, size_bytes)


def _chunk(row: OutboxRow) -> Chunk:
    return _chunk_of([getattr(row, column.key) for column in COLUMNS])


def _chunk_of(values: Sequence[Any]) -> Chunk:
    """The chunk that its `COLUMNS` hold."""
    told = dict(zip(CHUNK_FIELDS, values, strict=True))
    told["buttons"] = tuple(Button(**button) for button in told["buttons"])
    told["failed_ids"] = tuple(told["failed_ids"])
    told["state"] = OutboxState(told["state"])
    return Chunk(**told)
