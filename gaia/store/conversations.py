"""Conversations: one chat of one user on one channel.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from gaia.messages import Contact
from gaia.store.base import table_of
from gaia.store.tables import ConversationRow, OutboxRow, OutboxState

TABLE = table_of(ConversationRow)

COLUMNS = (
    TABLE.c.conversation_id,
    TABLE.c.user_id,
    TABLE.c.channel,
    TABLE.c.chat,
    TABLE.c.first_chat,
    TABLE.c.sender,
    TABLE.c.direct,
    TABLE.c.generation,
    TABLE.c.session_turns,
    TABLE.c.context,
    TABLE.c.is_incognito,
    TABLE.c.written_at,
    TABLE.c.asked_at,
)
"""What a conversation is read from."""

FIELDS = [column.key for column in COLUMNS[:-2]]

_THE_ONE = TABLE.c.conversation_id == bindparam("the_one")
_GET = select(*COLUMNS).where(_THE_ONE)
_MARK_ACTIVE = update(TABLE).where(_THE_ONE).values(last_message_at=bindparam("now"))
_NOTE_WRITTEN = (
    update(TABLE)
    .where(_THE_ONE)
    .values(
        written_at=case(
            (TABLE.c.written_at > bindparam("at"), TABLE.c.written_at), else_=bindparam("at")
        ),
        asked_at=None,
        sender=func.coalesce(bindparam("from_", type_=TABLE.c.sender.type), TABLE.c.sender),
        last_message_at=func.coalesce(
            bindparam("now", type_=TABLE.c.written_at.type), TABLE.c.last_message_at
        ),
    )
)
_IS_COUNTED = and_(
    bindparam("counts", type_=Boolean()),
    # A user who was joined with another has no sessions any more: it is one of the present.
    or_(TABLE.c.generation == bindparam("begun_in"), TABLE.c.user_id != bindparam("begun_by")),
)
_END_TURN = (
    update(TABLE)
    .where(_THE_ONE)
    .values(
        session_turns=TABLE.c.session_turns + case((_IS_COUNTED, 1), else_=0),
        last_message_at=case((_IS_COUNTED, bindparam("now")), else_=TABLE.c.last_message_at),
    )
    .returning(*COLUMNS)
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, its present session, and the turns finished in it.

    Replies go to `chat`, while `sender`, who wrote there last, is its user's address; its
    sessions are named after `first_chat`. Memories of its session belong to `context`; of one
    that is incognito nothing is kept.
    """

    conversation_id: int
    user_id: str
    channel: str
    chat: str
    first_chat: str
    sender: str
    direct: bool
    generation: int
    session_turns: int
    context: str
    is_incognito: bool
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
        sender=chat,
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
    session.execute(_MARK_ACTIVE, {"the_one": conversation_id, "now": now})


def find(session: Session, *, user_id: str, channel: str, chat: str) -> Conversation | None:
    """The conversation of this user in this chat, if there is one."""
    row = _row(session, user_id, channel, chat)
    return None if row is None else read(row)


def get(session: Session, conversation_id: int) -> Conversation | None:
    """A conversation by id; None when its user was removed."""
    row = session.execute(_GET, {"the_one": conversation_id}).one_or_none()
    return None if row is None else of(row)


def of_user(session: Session, user_id: str) -> Sequence[Conversation]:
    """All conversations of a user, the oldest first."""
    return those(session, ConversationRow.user_id == user_id)


def ids_of_user(user_id: str) -> Select[int]:
    """The ids of all conversations of a user, as a part of a query."""
    return select(ConversationRow.conversation_id).where(ConversationRow.user_id == user_id)


def those(
    session: Session,
    *which: ColumnElement[bool],
    first_by: ColumnElement[Any] | InstrumentedAttribute[Any] | None = None,
) -> Sequence[Conversation]:
    """The conversations of which all of this holds, the oldest first, or those first where
    something is least."""
    order = (TABLE.c.conversation_id,) if first_by is None else (first_by, TABLE.c.conversation_id)
    rows = session.execute(select(*COLUMNS).where(*which).order_by(*order))
    return [of(row) for row in rows]


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
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.channel == channel, ConversationRow.sender == old_chat)
        .values(sender=new_chat)
    )
    return moved


def moved_to(session: Session, channel: str, old_chat: str) -> str | None:
    """Where a group goes on whose chat had that id when it was new; None if it has it still, or
    is not known."""
    return session.scalar(
        select(ConversationRow.chat)
        .where(
            ConversationRow.channel == channel,
            ConversationRow.first_chat == old_chat,
            ConversationRow.chat != old_chat,
            ConversationRow.direct.is_(False),
        )
        .limit(1)
    )


def note_written(
    session: Session,
    conversation_id: int,
    at: datetime,
    *,
    sender: str | None = None,
    now: datetime | None = None,
) -> None:
    """Say that the person in the chat has written at that time, if not later as well, from
    which address, and that they did so just `now`, where that is told."""
    session.execute(
        _NOTE_WRITTEN, {"the_one": conversation_id, "at": at, "from_": sender, "now": now}
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


def put(session: Session, conversation_id: int, **values: Any) -> None:
    """Give the columns of a conversation these values."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.conversation_id == conversation_id)
        .values(**values)
    )


def forget_asked(session: Session, conversation_id: int) -> None:
    """Say that the person was not asked to write after all."""
    put(session, conversation_id, asked_at=None)


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


def set_turns(session: Session, conversation_id: int, turns: int) -> None:
    """Say how many turns the present session begins with."""
    put(session, conversation_id, session_turns=turns)


def start_next_session(session: Session, conversation_id: int) -> None:
    """Move to the next generation: what arrives from now on is a new session."""
    put(session, conversation_id, generation=ConversationRow.generation + 1, session_turns=0)


def end_turn(
    session: Session, begun: Conversation, generation: int, now: datetime, *, counts: bool = True
) -> Conversation | None:
    """The conversation at the end of a turn that began in this one, in the session of this
    generation; None when its user was removed. If it `counts`, it is one more of the session,
    unless that has been left meanwhile. Its answer is a message like others: who reads it is
    not quiet yet."""
    row = session.execute(
        _END_TURN,
        {
            "the_one": begun.conversation_id,
            "counts": counts,
            "begun_in": generation,
            "begun_by": begun.user_id,
            "now": now,
        },
    ).one_or_none()
    return None if row is None else of(row)


def _row(session: Session, user_id: str, channel: str, chat: str) -> ConversationRow | None:
    return session.scalar(
        select(ConversationRow).where(
            ConversationRow.user_id == user_id,
            ConversationRow.channel == channel,
            ConversationRow.chat == chat,
        )
    )


def of(values: Sequence[Any]) -> Conversation:
    """The conversation that its `COLUMNS` hold."""
    told = dict(zip(FIELDS, values, strict=False))
    return Conversation(**told, contact=Contact(*values[-2:]))


def read(row: ConversationRow) -> Conversation:
    """The conversation of a row."""
    return of([getattr(row, column.key) for column in COLUMNS])
