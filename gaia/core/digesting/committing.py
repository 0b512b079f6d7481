"""Committing: what was read becomes memory, in one transaction, and then the session goes.

Each step may be repeated after a crash. Nothing goes that is not committed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from gaia.core.delivery import Delivery
from gaia.core.handler import session_key
from gaia.core.slash import Reply
from gaia.errors import GaiaError, UnusableExtractionError
from gaia.memory.digest import extractive, outcome, writer
from gaia.memory.digest.findings import Checked
from gaia.memory.digest.writer import Committed, Digested
from gaia.ports import Channel, Clock
from gaia.sessions.service import SessionStore
from gaia.store import archive, conversations, digest_windows, digests, forgets, outbox
from gaia.store.digest_tables import DigestReason, DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database

logger = logging.getLogger(__name__)

UNREAD = (DigestState.SEALED, DigestState.EXTRACTED)

SOON = timedelta(hours=1)
"""So long after they began anew somebody is told that it does not work yet. Later they are
told only what comes of it."""


class Announcements(Protocol):
    """The words for what came of a conversation."""

    def learned(self, committed: Committed) -> Reply:
        """What was learned from it, if anything."""
        ...

    def unread(self) -> Reply:
        """It could not be read yet."""
        ...


class Committing:
    """Brings digests to their end. `learned` is called after a commit, with the user."""

    def __init__(
        self,
        *,
        database: Database,
        sessions: SessionStore,
        channels: Mapping[str, Channel],
        delivery: Delivery,
        announcements: Announcements,
        learned: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._channels = channels
        self._delivery = delivery
        self._announcements = announcements
        self._learned = learned
        self._clock = clock

    async def commit(self, digest: Digest) -> None:
        """Write what was read in all windows of a digest; have it read again when that
        is not the whole session."""
        now = self._clock.now()
        async with self._database.write() as session:
            present = await digests.get(session, digest.digest_id)
            if present is None or present.state is not DigestState.EXTRACTED:
                return
            read = await self._read(session, present)
            if read is None:
                await digests.read_again(session, digest.digest_id)
                return
            committed = await writer.commit(session, _digested(present), read, now)
            await digests.committed(
                session,
                digest.digest_id,
                learned=len(committed.learned),
                changed=len(committed.replaced),
                now=now,
            )
            if present.reason is DigestReason.RESET:
                await self._announce(session, present, self._announcements.learned(committed))
        logger.info(
            "digest %d is committed: %d learned, %d changed, %d held, %d left out",
            digest.digest_id,
            len(committed.learned),
            len(committed.replaced),
            committed.held,
            committed.left_out,
        )
        self._learned(present.user_id)
        self._delivery.wake(present.conversation_id)

    async def give_up(self, digest: Digest, error: str, *, is_told: bool = True) -> None:
        """Say that a digest failed for good, and hold what can be told of its session
        without a model, if it `is_told`. The session stays, to be read. Nothing is done
        while its user has something forgotten, or when they had it since: it is for the
        next failure to say so."""
        async with self._database.read() as session:
            mark = await forgets.mark(session, digest.user_id)
        found = await self._told_without_model(digest) if is_told else None
        now = self._clock.now()
        async with self._database.write() as session:
            present = await digests.get(session, digest.digest_id)
            if present is None or present.state not in UNREAD:
                return
            if mark is None or mark != await forgets.mark(session, present.user_id):
                return
            if found is not None:
                await writer.commit(session, _digested(present, is_fallback=True), [found], now)
            await digests.failed(session, digest.digest_id, error=error)
            if present.reason is DigestReason.RESET and now - present.created_at < SOON:
                await self._announce(session, present, self._announcements.unread())
        logger.error("digest %d failed: %s", digest.digest_id, error)
        self._learned(present.user_id)
        self._delivery.wake(present.conversation_id)

    async def clear(self, digest: Digest) -> None:
        """Delete the session of a digest that is committed. What was said before there
        was an archive stays: nothing has read it."""
        async with self._database.read() as session:
            conversation = await conversations.get(session, digest.conversation_id)
            turns = await archive.of_session(session, digest.session_id)
        if conversation is not None:
            present = session_key(conversation, conversation.generation).session_id
            if present == digest.session_id:
                raise GaiaError(f"digest {digest.digest_id} is of a session that is not sealed")
        said = await self._sessions.turn_ids(digest.session_user_id, digest.session_id)
        if said <= {turn.turn_id for turn in turns}:
            await self._sessions.delete_session(digest.session_user_id, digest.session_id)
        async with self._database.write() as session:
            await digests.cleared(session, digest.digest_id)

    async def _told_without_model(self, digest: Digest) -> Checked:
        async with self._database.read() as session:
            conversation = await conversations.get(session, digest.conversation_id)
            turns = await archive.of_session(session, digest.session_id)
        in_group = conversation is not None and not conversation.direct
        # It reads every word of the session.
        return await asyncio.to_thread(extractive.findings, turns, in_group=in_group)

    async def _read(self, session: AsyncSession, digest: Digest) -> list[Checked] | None:
        """What was read, window by window; None when it is not all, or not readable."""
        windows = await digest_windows.of_digest(session, digest.digest_id)
        turns = await archive.of_session(session, digest.session_id)
        last = windows[-1].last_archive_id if windows else 0
        unread = [turn for turn in turns if turn.archive_id > last]
        if unread and any(turn.words.strip() for turn in turns):
            return None
        try:
            return [outcome.from_json(window.outcome) for window in windows]
        except UnusableExtractionError as exc:
            logger.warning("digest %d is read anew: %s", digest.digest_id, exc)
            return None

    async def _announce(self, session: AsyncSession, digest: Digest, reply: Reply) -> None:
        conversation = await conversations.get(session, digest.conversation_id)
        channel = self._channels.get(conversation.channel) if conversation else None
        if channel is None:
            return
        await outbox.add(
            session,
            conversation_id=digest.conversation_id,
            turn_id=None,
            chunks=channel.split(reply.text),
            now=self._clock.now(),
            buttons=reply.buttons,
        )


def _digested(digest: Digest, *, is_fallback: bool = False) -> Digested:
    return Digested(digest.digest_id, digest.user_id, digest.session_id, is_fallback)
