"""What messages reply to: its words, as the row of a reply has them, and the message itself, if
it is still there.

Each function that reads works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.messages import RepliedTo
from gaia.store.tables import InboxRow, OutboxRow


@dataclass(frozen=True, slots=True)
class Earlier:
    """A message of a conversation, and the turn that it is of; one that gaia started by itself
    is of none."""

    text: str
    turn_id: str | None


def written(replied_to: RepliedTo | None) -> dict[str, Any] | None:
    """What a message replies to, as its row has it."""
    return None if replied_to is None else asdict(replied_to)


def read(row: Mapping[str, Any] | None) -> RepliedTo | None:
    """What a row tells."""
    return None if row is None else RepliedTo(**row)


def words(row: Mapping[str, Any] | None) -> Sequence[str]:
    """The words that a row has of what its message replies to."""
    return [row[name] for name in ("text", "quote") if row[name]] if row else []


def find(
    session: Session, conversation_id: int, message_ids: Collection[str]
) -> Mapping[str, Earlier]:
    """The messages of a conversation by the provider's ids for them, as far as they are known."""
    if not message_ids:
        return {}
    received = session.execute(
        select(InboxRow.provider_message_id, InboxRow.text, InboxRow.turn_id)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.provider_message_id.in_(message_ids),
        )
        .order_by(InboxRow.inbox_id)
    )
    sent = session.execute(
        select(OutboxRow.provider_id, OutboxRow.text, OutboxRow.turn_id)
        .where(OutboxRow.conversation_id == conversation_id, OutboxRow.provider_id.in_(message_ids))
        .order_by(OutboxRow.outbox_id)
    )
    return {name: Earlier(text, turn_id) for name, text, turn_id in (*received, *sent)}
