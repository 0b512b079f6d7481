"""What `/stop` ends in a conversation: the answers that wait to be sent, the turn that runs and
the messages that wait for theirs. Nothing is left of those that are incognito, in any file.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from gaia.store import forgets, inbox, incognito
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxRow, InboxState, OutboxFileRow, OutboxRow, OutboxState


def drop_unsent(session: Session, conversation: Conversation, now: datetime) -> int:
    """Delete what is still to be sent of a conversation's answers, with its files; returns how
    many chunks that was. What the channel has, or may have, stays; replies to commands, and
    notices, are sent."""
    answered = select(InboxRow.turn_id).where(
        InboxRow.conversation_id == conversation.conversation_id, ~InboxRow.is_command
    )
    unsent = (
        (OutboxRow.conversation_id == conversation.conversation_id)
        & (OutboxRow.state == OutboxState.PENDING)
        & OutboxRow.turn_id.in_(answered)
    )
    chunks = select(OutboxRow.outbox_id).where(unsent)
    session.execute(delete(OutboxFileRow).where(OutboxFileRow.outbox_id.in_(chunks)))
    dropped = session.scalars(delete(OutboxRow).where(unsent).returning(OutboxRow.is_incognito))
    hidden = dropped.all()
    if any(hidden):
        forgets.fade(session, conversation.user_id, now)
    return len(hidden)


def running_turn(session: Session, conversation_id: int) -> str | None:
    """The id of the turn of a conversation that runs, or is stopped already; None for none."""
    return session.scalar(
        select(InboxRow.turn_id)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state.in_(inbox.BEGUN),
            InboxRow.is_command.is_(False),
        )
        .limit(1)
    )


def mark_running(session: Session, conversation_id: int) -> None:
    """Say that the running turn is stopped: a crash before its end does not run it again."""
    session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state == InboxState.RUNNING,
            InboxRow.is_command.is_(False),
        )
        .values(state=InboxState.STOPPING)
    )


def drop_waiting(
    session: Session, conversation: Conversation, *, before: int, now: datetime
) -> int:
    """End the messages that came before the inbox id `before` and wait for their
    turn, without an answer; returns how many."""
    return end(
        session,
        conversation.user_id,
        now,
        InboxRow.conversation_id == conversation.conversation_id,
        InboxRow.inbox_id < before,
        InboxRow.state == InboxState.QUEUED,
        InboxRow.is_command.is_(False),
    )


def end(session: Session, user_id: str, now: datetime, *which: ColumnElement[bool]) -> int:
    """End these messages of a user without an answer; returns how many."""
    ended = session.execute(
        update(InboxRow)
        .where(*which)
        .values(state=InboxState.STOPPED, finished_at=now, not_before=None)
        .returning(InboxRow.inbox_id, InboxRow.is_incognito)
    ).all()
    hidden = [inbox_id for inbox_id, is_incognito in ended if is_incognito]
    if hidden:
        incognito.wipe_messages(session, InboxRow.inbox_id.in_(hidden))
        forgets.fade(session, user_id, now)
    return len(ended)
