"""Compaction: a conversation that grows long goes on with its last messages, and what was said
before them is read, learned from and summarised.

The session is sealed like one that idles, so that nothing goes before it is read; the next one
begins with copies of the last turns. The summary stands before it, as that of every
conversation that was read.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.core.turn_end import session_key
from gaia.digest.seal import seal
from gaia.ports import Clock
from gaia.settings.schema import SessionsSettings
from gaia.store import conversations, sessions
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestReason
from gaia.store.engine import Database
from gaia.store.tables import ConversationRow, EventRow

logger = logging.getLogger(__name__)

WINDOW_SHARE = 0.8
"""The part of what a host takes that a session may fill."""

FEWEST_TURNS = 4
"""A session of fewer turns stays as it is, however long they are."""

CHARACTERS_A_TOKEN = 3.0
"""Of an event's JSON, at the least."""


def compact(
    session: Session, conversation: Conversation, messages: int, now: datetime, *, before: int = 0
) -> int | None:
    """Seal the present session of a conversation, and have the next one begin with its last
    `messages`, within the caller's transaction; returns how many turns are left behind. None,
    and nothing is done, where there are no more."""
    present = conversations.get(session, conversation.conversation_id)
    kept = max(1, messages // 2)
    if present is None or present.is_incognito or present.session_turns <= kept:
        return None
    old = session_key(present, present.generation)
    digest_id = seal(session, present, DigestReason.COMPACT, now, before=before)
    if digest_id is None:
        return None
    copied = sessions.copy_last_turns(
        session, old, session_key(present, present.generation + 1), kept
    )
    conversations.set_turns(session, present.conversation_id, copied)
    return present.session_turns - copied


async def compact_long(
    database: Database, clock: Clock, settings: SessionsSettings, most_tokens: float | None
) -> None:
    """Compact the conversations that have outgrown the settings, or most of what the model's
    host takes, and in which nothing waits."""
    if not settings.compact_messages:
        return
    for conversation in await database.read(_long, settings.compact_messages, most_tokens):
        left = await database.write(_compact_if_quiet, conversation, settings, clock)
        if left:
            logger.info("a conversation is compacted: %d turns are summarised", left)


def _compact_if_quiet(
    session: Session, conversation: Conversation, settings: SessionsSettings, clock: Clock
) -> int | None:
    if sessions.is_busy(session, conversation.conversation_id):
        return None
    return compact(session, conversation, settings.compact_keep, clock.now())


def _long(session: Session, messages: int, most_tokens: float | None) -> Sequence[Conversation]:
    return [
        each
        for each in conversations.those(session, ConversationRow.session_turns >= FEWEST_TURNS)
        if 2 * each.session_turns >= messages or _fills(session, each, most_tokens)
    ]


def _fills(session: Session, conversation: Conversation, most_tokens: float | None) -> bool:
    """Whether a session has more than its share of what a host takes."""
    if most_tokens is None:
        return False
    key = session_key(conversation, conversation.generation)
    characters = session.scalar(
        select(func.sum(func.length(EventRow.event))).where(EventRow.session_id == key.session_id)
    )
    return (characters or 0) / CHARACTERS_A_TOKEN > WINDOW_SHARE * most_tokens
