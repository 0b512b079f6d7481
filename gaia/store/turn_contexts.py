"""The contexts of turns: each has the one in which its messages came, whatever is commanded
while they wait or are answered.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.store import conversations
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxRow


def of_turn(session: Session, turn_id: str) -> Conversation | None:
    """The conversation of a turn, in the context of the turn, and incognito if the turn is;
    None when its user was removed."""
    turn = session.execute(
        select(*InboxRow.__table__.c["conversation_id", "context", "is_incognito"])
        .where(InboxRow.turn_id == turn_id)
        .limit(1)
    ).one_or_none()
    found = None if turn is None else conversations.get(session, turn.conversation_id)
    if turn is None or found is None:
        return None
    return replace(found, context=turn.context, is_incognito=turn.is_incognito)
