"""What `/stop` ends in a conversation: the answers that wait to be sent, the turn that runs and
the messages that wait for theirs. Nothing is left of those that are incognito, in any file.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from gaia.store import forgets, inbox, incognito
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxRow, InboxState, OutboxFileRow, OutboxRow, OutboxState


def drop_unsent(session: Session, conversation: Conversation, now: datetime) -> Sequence[str]:
    """Delete what is still to be sent of a conversation's answers, with its files; returns the
    provider's ids of the messages that they answered. What the channel has, or may have, stays;
    replies to commands, and notices, are sent."""
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
    dropped = session.execute(
        delete(OutboxRow).where(unsent).returning(OutboxRow.turn_id, OutboxRow.is_incognito)
    ).all()
    if any(is_incognito for _, is_incognito in dropped):
        forgets.fade(session, conversation.user_id, now)
    turns = {turn_id for turn_id, _ in dropped}
    asked = select(InboxRow.provider_message_id).where(InboxRow.turn_id.in_(turns))
    return session.scalars(asked.order_by(InboxRow.inbox_id)).all() if turns else ()


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
) -> Sequence[str]:
    """End the messages that came before the inbox id `before` and wait for their
    turn, without an answer; returns the provider's ids of them."""
    return end(
        session,
        conversation.user_id,
        now,
        InboxRow.conversation_id == conversation.conversation_id,
        InboxRow.inbox_id < before,
        InboxRow.state == InboxState.QUEUED,
        InboxRow.is_command.is_(False),
    )


def end(
    session: Session, user_id: str, now: datetime, *which: ColumnElement[bool]
) -> Sequence[str]:
    """End these messages of a user without an answer; returns the provider's ids of them."""
    ended = session.execute(
        update(InboxRow)
        .where(*which)
        .values(state=InboxState.STOPPED, finished_at=now, not_before=None)
        .returning(InboxRow.inbox_id, InboxRow.is_incognito, InboxRow.provider_message_id)
    ).all()
    hidden = [inbox_id for inbox_id, is_incognito, _ in ended if is_incognito]
    if hidden:
        incognito.wipe_messages(session, InboxRow.inbox_id.in_(hidden))
        forgets.fade(session, user_id, now)
    return [provider_message_id for _, _, provider_message_id in ended]
