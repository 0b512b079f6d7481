"""Sealing: a session that takes no more messages becomes a digest, and the next one begins."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.core.turn_end import session_key
from gaia.errors import LearningOffError
from gaia.ports import Clock
from gaia.store import conversations, digests, inbox, sessions
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestReason
from gaia.store.digests import Digest
from gaia.store.engine import Database

logger = logging.getLogger(__name__)

OFF = LearningOffError(
    "gaia does not learn by itself: set memory.enabled and memory.auto_ingest to true"
)


def seal(
    session: Session,
    conversation: Conversation,
    reason: DigestReason,
    now: datetime,
    *,
    before: int = 0,
) -> int | None:
    """Seal the present session of a conversation, within the caller's transaction: see
    `digests.seal`. Whoever has work from it is to be woken after the commit. Of an incognito
    one nothing is left: the next begins, incognito as well."""
    present = conversations.get(session, conversation.conversation_id)
    if present is not None and present.is_incognito:
        inbox.begin_next_session(session, conversation.conversation_id, after=before - 1)
        return None
    key = session_key(conversation, conversation.generation)
    return digests.seal(session, conversation, key.session_id, reason, now, before=before)


def seal_now(
    session: Session, user_id: str | None, now: datetime, *, retry: bool
) -> Sequence[Digest]:
    """Seal the present sessions, of one user if named, because the owner asks for it; with
    `retry` have what failed read once more instead. Within the caller's transaction;
    returns all digests that wait then, to be tried at once."""
    if retry:
        digests.retry(session, user_id)
    else:
        for conversation in sessions.talked_in(session, user_id):
            seal(session, conversation, DigestReason.OWNER, now)
    return digests.hasten(session, user_id)


async def seal_idle(database: Database, clock: Clock, idle: timedelta) -> None:
    """Seal the sessions in which nobody wrote for so long."""
    before = clock.now() - idle
    quiet = await database.read(sessions.idle_since, before)
    # Only a clock that was set back leaves times that are yet to come.
    if await database.read(sessions.is_any_yet_to_come, clock.now()):
        await database.write(sessions.bring_idle_times_back_to, clock.now())
    for conversation in quiet:
        await database.write(_seal_if_idle, conversation, before, clock)


def _seal_if_idle(
    session: Session, conversation: Conversation, before: datetime, clock: Clock
) -> None:
    # Somebody may have written meanwhile.
    if sessions.is_idle(session, conversation.conversation_id, before):
        digest_id = seal(session, conversation, DigestReason.IDLE, clock.now())
        logger.info("digest %s: a session idled out", digest_id)
