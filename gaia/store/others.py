"""Which turns carry what others wrote: forwarded messages, files, quotes, contacts, places.

Whatever is not known to be the person's own counts as another's.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.messages import OWN_NOTES, REPLY_TO_GAIA, AttachmentKind
from gaia.store.batches import BURST_MESSAGES
from gaia.store.inbox import TABLE, Message, read_message

TURNS_AFTER = 3
"""For so many turns after it, what others wrote may still lead a model."""


def carries(message: Message) -> bool:
    """Whether a message holds anything that somebody else may have written. Of files a voice
    note alone is the person's own words."""
    return (
        message.is_forwarded
        or any(each.kind is not AttachmentKind.VOICE for each in message.attachments)
        or not all(note.startswith(OWN_NOTES) for note in message.notes)
        or _replies_to_unknown_words(message)
    )


def _replies_to_unknown_words(message: Message) -> bool:
    """Whether a message replies to one of its sender's whose words the channel does not tell:
    they may have been forwarded."""
    replied_to = message.replied_to
    return (
        replied_to is not None
        and not replied_to.text
        and not any(note.startswith(REPLY_TO_GAIA) for note in message.notes)
    )


def are_near(session: Session, turn_id: str) -> bool:
    """Whether a turn, or one of the three before it in its conversation, carries what others
    wrote. A turn that is not known does."""
    conversation_id = session.scalar(
        select(TABLE.c.conversation_id).where(TABLE.c.turn_id == turn_id).limit(1)
    )
    if conversation_id is None:
        return True
    rows = session.execute(
        select(TABLE)
        .where(
            TABLE.c.conversation_id == conversation_id,
            TABLE.c.turn_id.is_not(None),
            TABLE.c.is_command.is_(False),
        )
        # By the index: the sort must not read the whole conversation.
        .order_by(TABLE.c.received_at.desc(), TABLE.c.inbox_id.desc())
        .limit((TURNS_AFTER + 1) * BURST_MESSAGES)
    )
    seen: set[str] = set()
    for row in rows:
        seen.add(row.turn_id)
        if len(seen) > TURNS_AFTER + 1:
            break
        if carries(read_message(row)):
            return True
    return False
