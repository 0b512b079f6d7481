"""Sessions: the recent events of a conversation, one generation after the other.

An event is the agent kit's, as JSON; what is in it is told by `gaia.sessions`. A session is
nothing but its events: it begins with the first turn that ends in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Integer,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Session

from gaia.store import conversations
from gaia.store.base import table_of
from gaia.store.conversations import Conversation
from gaia.store.inbox import UNFINISHED
from gaia.store.tables import ConversationRow, EventRow, InboxRow

EVENTS_A_TURN = 12
"""Events that a turn has on average, at most: generous for turns with tool calls."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Names one generation of one conversation."""

    user_id: str
    channel: str
    chat: str
    generation: int

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return f"{self.user_id}:{self.channel}:{self.chat}#{self.generation}"


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event of a turn, as JSON."""

    turn_id: str
    said_at: datetime
    json: str


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session, as a list shows it."""

    session_id: str
    user_id: str
    events: int
    updated_at: datetime


TABLE = table_of(EventRow)

_ADD = insert(TABLE)
_LAST = (
    select(TABLE.c.turn_id, TABLE.c.event)
    .where(TABLE.c.session_id == bindparam("of"), TABLE.c.user_id == bindparam("whose"))
    .order_by(TABLE.c.event_id.desc())
    .limit(bindparam("most", type_=Integer()))
)


def add(session: Session, key: SessionKey, events: Sequence[StoredEvent]) -> None:
    """Write what a turn adds to a session."""
    if events:
        session.execute(
            _ADD,
            [
                {
                    "user_id": key.user_id,
                    "session_id": key.session_id,
                    "turn_id": each.turn_id,
                    "said_at": each.said_at,
                    "event": each.json,
                }
                for each in events
            ],
        )


def last_turns(session: Session, key: SessionKey, turns: int) -> Sequence[str]:
    """The events of the last `turns` turns of a session, oldest first.

    Of turns with very many events, no more than `EVENTS_A_TURN` on average are read.
    """
    found = {"of": key.session_id, "whose": key.user_id, "most": turns * EVENTS_A_TURN}
    rows = session.execute(_LAST, found)
    seen: set[str] = set()
    events = []
    for turn_id, event in rows:
        seen.add(turn_id)
        if len(seen) > turns:
            break
        events.append(event)
    return events[::-1]


def copy_last_turns(session: Session, old: SessionKey, new: SessionKey, turns: int) -> int:
    """Have a session begin with the last turns of another one; returns how many there were."""
    last = (
        select(EventRow.turn_id)
        .where(EventRow.session_id == old.session_id, EventRow.user_id == old.user_id)
        .group_by(EventRow.turn_id)
        .order_by(func.max(EventRow.event_id).desc())
        .limit(turns)
    )
    turn_ids = session.scalars(last).all()
    rows = session.scalars(
        select(EventRow)
        .where(EventRow.session_id == old.session_id, EventRow.turn_id.in_(turn_ids))
        .order_by(EventRow.event_id)
    )
    add(session, new, [StoredEvent(row.turn_id, row.said_at, row.event) for row in rows.all()])
    return len(turn_ids)


def is_busy(session: Session, conversation_id: int) -> bool:
    """Whether something waits in a conversation, or is being answered."""
    waits = exists().where(
        InboxRow.conversation_id == conversation_id, InboxRow.state.in_(UNFINISHED)
    )
    return bool(session.scalar(select(waits)))


def events(
    session: Session, user_id: str, session_id: str, *, limit: int | None = None
) -> Sequence[str]:
    """The last `limit` events of a session, or all, oldest first."""
    rows = session.scalars(
        select(EventRow.event)
        .where(EventRow.session_id == session_id, EventRow.user_id == user_id)
        .order_by(EventRow.event_id.desc())
        .limit(limit)
    )
    return rows.all()[::-1]


def listed(session: Session, user_id: str | None = None) -> Sequence[SessionSummary]:
    """Sessions, the most recently used first; all users' when `user_id` is None."""
    query = select(
        EventRow.session_id, EventRow.user_id, func.count(), func.max(EventRow.said_at)
    ).group_by(EventRow.session_id, EventRow.user_id)
    if user_id is not None:
        query = query.where(EventRow.user_id == user_id)
    rows = session.execute(query.order_by(func.max(EventRow.event_id).desc()))
    return [SessionSummary(session_id, owner, count, at) for session_id, owner, count, at in rows]


def turn_ids(session: Session, session_id: str) -> frozenset[str]:
    """The turns that a session has events of."""
    found = session.scalars(select(EventRow.turn_id).where(EventRow.session_id == session_id))
    return frozenset(found)


def page(
    session: Session, user_id: str, *, after: int, limit: int, session_id: str | None = None
) -> Sequence[EventRow]:
    """The next events of a user, or of one of their sessions, after the event `after`."""
    query = select(EventRow).where(EventRow.user_id == user_id, EventRow.event_id > after)
    if session_id is not None:
        query = query.where(EventRow.session_id == session_id)
    return session.scalars(query.order_by(EventRow.event_id).limit(limit)).all()


def rewrite(session: Session, user_id: str, event_id: int, event: str) -> None:
    """Put another event in the place of one, if it is still there."""
    theirs = (EventRow.user_id == user_id) & (EventRow.event_id == event_id)
    session.execute(update(EventRow).where(theirs).values(event=event))


def remove(session: Session, user_id: str, event_ids: Sequence[int]) -> None:
    """Delete events of a user."""
    theirs = (EventRow.user_id == user_id) & EventRow.event_id.in_(event_ids)
    session.execute(delete(EventRow).where(theirs))


def delete_session(session: Session, session_id: str) -> None:
    """Delete a session. Idempotent."""
    session.execute(delete(EventRow).where(EventRow.session_id == session_id))


def delete_all(session: Session, user_id: str) -> None:
    """Delete every session of a user. Idempotent."""
    session.execute(delete(EventRow).where(EventRow.user_id == user_id))


def idle_since(session: Session, before: datetime) -> Sequence[Conversation]:
    """The conversations in which something was said since the last session, nothing waits,
    and the last message came before a time; the longest quiet ones first."""
    quiet_since = ConversationRow.last_message_at
    return conversations.those(session, *_is_idle(before), first_by=quiet_since)


def talked_in(session: Session, user_id: str | None = None) -> Sequence[Conversation]:
    """The conversations in which something was said since the last session, of one user if
    named."""
    whose = () if user_id is None else (ConversationRow.user_id == user_id,)
    return conversations.those(session, ConversationRow.session_turns > 0, *whose)


def is_idle(session: Session, conversation_id: int, before: datetime) -> bool:
    """Whether that is so of one conversation."""
    this = ConversationRow.conversation_id == conversation_id
    return bool(session.scalar(select(exists().where(this, *_is_idle(before)))))


def is_any_yet_to_come(session: Session, now: datetime) -> bool:
    """Whether the last message of a conversation seems yet to come."""
    return bool(session.scalar(select(exists().where(ConversationRow.last_message_at > now))))


def bring_idle_times_back_to(session: Session, now: datetime) -> int:
    """Let conversations whose last message seems yet to come idle from now on: the clock
    was set back since. Returns how many."""
    result = session.execute(
        update(ConversationRow)
        .where(ConversationRow.last_message_at > now)
        .values(last_message_at=now)
        .returning(ConversationRow.conversation_id)
    )
    return len(result.all())


def _is_idle(before: datetime) -> Sequence[ColumnElement[bool]]:
    unfinished = exists().where(
        InboxRow.conversation_id == ConversationRow.conversation_id,
        InboxRow.state.in_(UNFINISHED),
    )
    return (
        ConversationRow.last_message_at <= before,
        ConversationRow.session_turns > 0,
        ~unfinished,
    )
