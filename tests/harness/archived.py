"""Turns of the archive for tests, as conversations would have left them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from gaia.memory import archive
from gaia.memory.contexts import GLOBAL
from gaia.messages import Address, Inbound
from gaia.store import conversations, inbox
from gaia.store.archive import Ended
from gaia.store.sessions import SessionKey
from gaia.store.tables import InboxState
from gaia.testing.clock import START


def talk(
    session: Session,
    user_id: str,
    words: str,
    answer: str = "Fine.",
    *,
    turn_id: str,
    said_at: datetime = START,
    chat: str | None = None,
    context: str = GLOBAL,
) -> Ended:
    """Let a user have said something in the present session of a chat, and been answered."""
    chat = chat or user_id
    conversation = conversations.find_or_create(
        session, user_id=user_id, channel="fake", chat=chat, direct=True, now=said_at
    )
    inbox.record(
        session,
        Inbound(Address("fake", chat), chat, turn_id, words, said_at),
        conversation,
        is_command=False,
        now=said_at,
        state=InboxState.DONE,
        turn_id=turn_id,
    )
    conversations.end_turn(session, conversation, conversation.generation, said_at)
    key = SessionKey(user_id, "fake", chat, conversation.generation)
    turn = Ended(
        turn_id=turn_id,
        user_id=user_id,
        conversation_id=conversation.conversation_id,
        session_id=key.session_id,
        asked=words,
        words=words,
        answer=answer,
        said_at=said_at,
        context=context,
    )
    archive.keep(session, turn)
    return turn
