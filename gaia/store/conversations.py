"""Conversations: one chat of one user on one channel.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, select, update
from sqlalchemy.orm import Bundle, Session

from gaia.messages import Contact
from gaia.store.tables import ConversationRow, OutboxRow, OutboxState

COLUMNS: Bundle[Any] = Bundle(
    "conversation",
    ConversationRow.conversation_id,
    ConversationRow.user_id,
    ConversationRow.channel,
    ConversationRow.chat,
    ConversationRow.first_chat,
    ConversationRow.direct,
    ConversationRow.generation,
    ConversationRow.session_turns,
    ConversationRow.written_at,
    ConversationRow.asked_at,
)
"""What a conversation is read from, in a query together with other tables."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, its present session, and the turns finished in it.

    Replies go to `chat`; its sessions are named after `first_chat`.
    """

    conversation_id: int
    user_id: str
    channel: str
    chat: str
    first_chat: str
    direct: bool
    generation: int
    session_turns: int
    contact: Contact


def find_or_create(
    session: Session, *, user_id: str, channel: str, chat: str, direct: bool, now: datetime
) -> Conversation:
    """The conversation of this user in this chat, marked as active now."""
    known = find(session, user_id=user_id, channel=channel, chat=chat)
    if known is None:
        return create(session, user_id=user_id, channel=channel, chat=chat, direct=direct, now=now)
    mark_active(session, known.conversation_id, now)
    return known


def create(
    session: Session, *, user_id: str, channel: str, chat: str, direct: bool, now: datetime
) -> Conversation:
    """The first conversation of this user in this chat."""
    row = ConversationRow(
        user_id=user_id,
        channel=channel,
        chat=chat,
        first_chat=chat,
        direct=direct,
        generation=1,
        session_turns=0,
        created_at=now,
        last_message_at=now,
    )
    session.add(row)
    session.flush()
    return read(row)


def mark_active(session: Session, conversation_id: int, now: datetime) -> None:
    """Say that somebody does something in the conversation now."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.conversation_id == conversation_id)
        .values(last_message_at=now)
    )


def find(session: Session, *, user_id: str, channel: str, chat: str) -> Conversation | None:
    """The conversation of this user in this chat, if there is one."""
    row = _row(session, user_id, channel, chat)
    return None if row is None else read(row)


def get(session: Session, conversation_id: int) -> Conversation | None:
    """A conversation by id; None when its user was removed."""
    query = select(COLUMNS).where(ConversationRow.conversation_id == conversation_id)
    row = session.scalar(query)
    return None if row is None else read(row)


def of_user(session: Session, user_id: str) -> Sequence[Conversation]:
    """All conversations of a user, the oldest first."""
    rows = session.scalars(
        select(ConversationRow)
        .where(ConversationRow.user_id == user_id)
        .order_by(ConversationRow.conversation_id)
    )
    return [read(row) for row in rows]


def direct_of(session: Session, user_ids: Sequence[str]) -> Sequence[Conversation]:
    """The direct chats of these users: of each on each channel the one used last."""
    rows = session.scalars(
        select(ConversationRow)
        .where(ConversationRow.user_id.in_(user_ids), ConversationRow.direct.is_(True))
        .order_by(ConversationRow.last_message_at, ConversationRow.conversation_id)
    )
    latest = {(row.user_id, row.channel): row for row in rows}
    return [read(row) for row in latest.values()]


def latest_direct(session: Session, user_id: str, channels: Collection[str]) -> Conversation | None:
    """The direct chat on one of these channels that a user used last."""
    row = session.scalar(
        select(ConversationRow)
        .where(
            ConversationRow.user_id == user_id,
            ConversationRow.direct.is_(True),
            ConversationRow.channel.in_(channels),
        )
        .order_by(ConversationRow.last_message_at.desc(), ConversationRow.conversation_id.desc())
        .limit(1)
    )
    return None if row is None else read(row)


def move_chat(session: Session, channel: str, old_chat: str, new_chat: str) -> Sequence[int]:
    """Send replies of the conversations in `old_chat` to `new_chat` from now on;
    returns the conversations that have something to do with it.

    Where the user has a conversation in the new chat already, that one takes over
    what waits to be sent.
    """
    rows = session.scalars(
        select(ConversationRow).where(
            ConversationRow.channel == channel, ConversationRow.chat == old_chat
        )
    )
    moved = []
    for row in rows.all():
        present = _row(session, row.user_id, channel, new_chat)
        if present is None:
            row.chat = new_chat
            present = row
        else:
            session.execute(
                update(OutboxRow)
                .where(
                    OutboxRow.conversation_id == row.conversation_id,
                    OutboxRow.state.in_((OutboxState.PENDING, OutboxState.UNKNOWN)),
                )
                .values(conversation_id=present.conversation_id)
            )
        moved.append(present.conversation_id)
    return moved


def note_written(
    session: Session, conversation_id: int, at: datetime, *, now: datetime | None = None
) -> None:
    """Say that the person in the chat has written at that time, if not later as well, and
    that they did so just `now`, where that is told."""
    is_later = ConversationRow.written_at > at
    written_at = case((is_later, ConversationRow.written_at), else_=at)
    active = {} if now is None else {"last_message_at": now}
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.conversation_id == conversation_id)
        .values(written_at=written_at, asked_at=None, **active)
    )


def note_asked(session: Session, conversation_id: int, now: datetime, *, since: datetime) -> None:
    """Say that the person was asked to write, unless they did after `since`."""
    session.execute(
        update(ConversationRow)
        .where(
            ConversationRow.conversation_id == conversation_id,
            ConversationRow.written_at.is_(None) | (ConversationRow.written_at <= since),
        )
        .values(asked_at=now)
    )


def forget_asked(session: Session, conversation_id: int) -> None:
    """Say that the person was not asked to write after all."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.conversation_id == conversation_id)
        .values(asked_at=None)
    )


def lose_contact(session: Session, conversation_id: int, *, before: datetime) -> bool:
    """Say that what the person has written up to then does not count; returns whether
    it did."""
    lost = session.scalar(
        update(ConversationRow)
        .where(
            ConversationRow.conversation_id == conversation_id,
            ConversationRow.written_at <= before,
        )
        .values(written_at=None)
        .returning(ConversationRow.conversation_id)
    )
    return lost is not None


def start_next_session(session: Session, conversation_id: int) -> None:
    """Move to the next generation: what arrives from now on is a new session."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.conversation_id == conversation_id)
        .values(generation=ConversationRow.generation + 1, session_turns=0)
    )


def count_turn(session: Session, conversation_id: int, generation: int, now: datetime) -> None:
    """Count a turn that has finished now, unless its session has been left meanwhile. Its
    answer is a message like others: who reads it is not quiet yet."""
    session.execute(
        update(ConversationRow)
        .where(
            ConversationRow.conversation_id == conversation_id,
            ConversationRow.generation == generation,
        )
        .values(session_turns=ConversationRow.session_turns + 1, last_message_at=now)
    )


def _row(session: Session, user_id: str, channel: str, chat: str) -> ConversationRow | None:
    return session.scalar(
        select(ConversationRow).where(
            ConversationRow.user_id == user_id,
            ConversationRow.channel == channel,
            ConversationRow.chat == chat,
        )
    )


def read(row: ConversationRow | Row[Any]) -> Conversation:
    """The conversation of a row, or of its `COLUMNS`."""
    return Conversation(
        conversation_id=row.conversation_id,
        user_id=row.user_id,
        channel=row.channel,
        chat=row.chat,
        first_chat=row.first_chat,
        direct=row.direct,
        generation=row.generation,
        session_turns=row.session_turns,
        contact=Contact(row.written_at, row.asked_at),
    )
