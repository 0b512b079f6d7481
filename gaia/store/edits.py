"""Edits: what a message becomes when its sender changes it.

One that waits for its turn is changed in place; one that a turn has begun with is corrected
by another message, which is kept as the one in its place. Each edit is remembered with the
message that it changes, so that its redelivery does nothing. Each function works within the
caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from gaia.messages import CORRECTION, Attachment, Inbound, ReceiptKind
from gaia.store import inbox
from gaia.store.inbox import Message
from gaia.store.tables import InboxRow, InboxState

REMIND = "/remind"
"""The command that a request for a reminder is kept as."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A message that another stands in the place of, and the turn that it was part of."""

    message: Message
    turn_id: str | None


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message of the turn `turn_id` said before an edit, in `earlier_turn_id`, and what
    it says."""

    turn_id: str
    text: str
    earlier_turn_id: str
    earlier_text: str


def settle(
    session: Session, inbound: Inbound, conversation_id: int, *, is_command: bool
) -> Inbound | ReceiptKind:
    """Decide about `inbound` within the caller's transaction: the message to record,
    or, for an edit with which all is done, what became of it.

    What is no edit, or changes a message that is not known, is a message like any other.
    """
    original = _original(session, inbound, conversation_id)
    if original is None:
        return inbound
    if inbound.provider_message_id in original.edits:
        return ReceiptKind.DUPLICATE
    latest = _latest(session, original)
    original.edits = [*original.edits, inbound.provider_message_id]
    words = (inbound.text, f"{REMIND} {inbound.text.strip()}")
    same_files = about(inbox.read_attachments(latest.attachments)) == about(inbound.attachments)
    if latest.text in words and same_files:
        return ReceiptKind.DUPLICATE
    if _waits(latest) and not (latest.is_command or is_command):
        latest.text = inbound.text
        latest.attachments = inbox.write_attachments(inbound.attachments)
        return ReceiptKind.ACCEPTED
    return replace(inbound, notes=(CORRECTION, *inbound.notes))


def is_of_reminder(session: Session, inbound: Inbound, conversation_id: int) -> bool:
    """Whether a message is the edit of a request for a reminder."""
    original = _original(session, inbound, conversation_id)
    return original is not None and _latest(session, original).text.startswith(f"{REMIND} ")


def note_correction(session: Session, inbound: Inbound) -> Replaced | None:
    """Keep which message a recorded one stands in the place of; returns that."""
    channel = inbound.address.channel
    original = session.scalar(_named(channel, [inbound.edit_of]))
    correction = session.scalar(_named(channel, [inbound.provider_message_id]))
    if original is None or correction is None:
        return None
    replaced = _latest(session, original, before=correction.inbox_id)
    correction.corrects = replaced.inbox_id
    (message,) = _messages(session, [replaced.inbox_id])
    return Replaced(message, replaced.turn_id)


def taken_back(session: Session, turn_id: str) -> Sequence[Message]:
    """The messages of a turn that others stand in the place of."""
    correction = aliased(InboxRow)
    replaced = session.scalars(
        select(InboxRow.inbox_id)
        .join(correction, correction.corrects == InboxRow.inbox_id)
        .where(InboxRow.turn_id == turn_id)
        .order_by(InboxRow.inbox_id)
    )
    return _messages(session, replaced.all())


def corrections(session: Session, turn_ids: Collection[str]) -> Iterator[Correction]:
    """What the messages of some turns correct: with all that each of them said before."""
    rows = session.scalars(
        select(InboxRow).where(InboxRow.turn_id.in_(turn_ids), InboxRow.corrects.is_not(None))
    )
    for row in rows.all():
        earlier: InboxRow | None = row
        while earlier is not None and earlier.corrects is not None:
            earlier = session.get(InboxRow, earlier.corrects)
            if earlier is not None and row.turn_id and earlier.turn_id:
                yield Correction(row.turn_id, row.text, earlier.turn_id, earlier.text)


def _original(session: Session, inbound: Inbound, conversation_id: int) -> InboxRow | None:
    if inbound.edit_of is None:
        return None
    named = _named(inbound.address.channel, [inbound.edit_of])
    return session.scalar(named.where(InboxRow.conversation_id == conversation_id))


def replaced_turns(session: Session, turn_id: str) -> Sequence[str]:
    """The turns whose only message one of this turn stands in the place of."""
    earlier = {each.earlier_turn_id for each in corrections(session, [turn_id])}
    found = session.scalars(
        select(InboxRow.turn_id)
        .where(InboxRow.turn_id.in_(earlier))
        .group_by(InboxRow.turn_id)
        .having(func.count() == 1)
    )
    return [each for each in found if each is not None]


def about(attachments: Sequence[Attachment]) -> Sequence[Attachment]:
    """What tells files from others: providers name the same one in several ways."""
    return [replace(each, file_id="") for each in attachments]


def _messages(session: Session, inbox_ids: Sequence[int]) -> Sequence[Message]:
    if not inbox_ids:
        return ()
    table = inbox.TABLE
    rows = session.execute(
        select(table).where(table.c.inbox_id.in_(inbox_ids)).order_by(table.c.inbox_id)
    )
    return [inbox.read_message(row) for row in rows]


def _latest(session: Session, original: InboxRow, *, before: int | None = None) -> InboxRow:
    """The last edit, of those `before` a message, that became a message of its own, or the
    original."""
    named = _named(original.channel, original.edits)
    edits = named.order_by(InboxRow.inbox_id.desc()).limit(1)
    row = session.scalar(edits if before is None else edits.where(InboxRow.inbox_id < before))
    return original if row is None else row


def _named(channel: str, provider_message_ids: Collection[str | None]) -> Select[InboxRow]:
    """The messages of a channel that its provider calls so."""
    return select(InboxRow).where(
        InboxRow.channel == channel, InboxRow.provider_message_id.in_(provider_message_ids)
    )


def _waits(row: InboxRow) -> bool:
    return row.state == InboxState.QUEUED and row.turn_id is None
