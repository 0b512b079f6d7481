"""Edits: what becomes of a message that replaces the text of an earlier one.

A message that waits for its turn is changed in place; one that a turn has begun
with is corrected by another message. Each edit is remembered with the message
that it changes, so that its redelivery does nothing.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.messages import Inbound, ReceiptKind
from gaia.store.recorded import write_attachments
from gaia.store.tables import InboxRow, InboxState

CORRECTION = "(this corrects an earlier message)"
"""The note of an edit that came too late to change the message itself."""


def settle(
    session: Session, inbound: Inbound, conversation_id: int, *, is_command: bool
) -> Inbound | ReceiptKind:
    """Decide about `inbound` within the caller's transaction: the message to record,
    or, for an edit with which all is done, what became of it.

    What is no edit, or changes a message that is not known, is a message like any other.
    """
    if inbound.edit_of is None:
        return inbound
    original = session.scalar(
        select(InboxRow).where(
            InboxRow.channel == inbound.address.channel,
            InboxRow.provider_message_id == inbound.edit_of,
            InboxRow.conversation_id == conversation_id,
        )
    )
    if original is None:
        return inbound
    if inbound.provider_message_id in original.edits:
        return ReceiptKind.DUPLICATE
    latest = _latest(session, original)
    original.edits = [*original.edits, inbound.provider_message_id]
    if latest.text == inbound.text:
        return ReceiptKind.DUPLICATE
    if _waits(latest) and not (latest.is_command or is_command):
        latest.text = inbound.text
        latest.attachments = write_attachments(inbound.attachments)
        return ReceiptKind.ACCEPTED
    return replace(inbound, notes=(CORRECTION, *inbound.notes))


def _latest(session: Session, original: InboxRow) -> InboxRow:
    """The last edit that became a message of its own, or the original."""
    row = session.scalar(
        select(InboxRow)
        .where(
            InboxRow.channel == original.channel,
            InboxRow.provider_message_id.in_(original.edits),
        )
        .order_by(InboxRow.inbox_id.desc())
        .limit(1)
    )
    return original if row is None else row


def _waits(row: InboxRow) -> bool:
    return row.state == InboxState.QUEUED and row.turn_id is None
